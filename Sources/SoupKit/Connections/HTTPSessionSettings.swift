package import GLibKit

/// The settings of an HTTP session.
package struct HTTPSessionSettings: Sendable {
    package var trust: TLSAuthorities
    /// Whether requests use the proxies that GIO's proxy resolver selects.
    package var usesProxies: Bool
    /// The time without any byte from the server after which a request fails; zero for no limit.
    package var idleLimit: Duration
    /// The maximum number of simultaneous connections to each server.
    package var connections: Int
    /// The TCP connections of the session.
    package let links: TCPLinks

    package init(
        trust: TLSAuthorities,
        usesProxies: Bool,
        idleLimit: Duration,
        connections: Int = 2,
        links: TCPLinks
    ) {
        (self.trust, self.usesProxies) = (trust, usesProxies)
        (self.idleLimit, self.connections, self.links) = (idleLimit, connections, links)
    }
}
