package import GLibKit

/// The settings of an HTTP session.
package struct HTTPSessionSettings: Sendable {
    package var trust: TLSAuthorities
    /// Whether GIO's proxy resolver is asked how to reach the servers.
    package var usesProxies: Bool
    /// The time without any byte from the server after which a request fails; zero for no limit.
    package var idleLimit: Duration
    /// The number of connections to each server at the same time.
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
