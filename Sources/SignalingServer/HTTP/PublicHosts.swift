/// Names of hosts by which a server is reached from elsewhere, through a proxy for example.
package struct PublicHosts: Sendable {
    /// One without a port stands for every port.
    private(set) var hosts: Set<RequestHost> = []

    package init() {}

    /// Takes hosts separated by commas, as `HOST` or `HOST:PORT`.
    ///
    /// - Throws: `PublicHostError` naming what is no host.
    package init(_ list: String) throws(PublicHostError) {
        for item in list.separatedByCommas {
            guard let host = RequestHost(item) else { throw PublicHostError(item) }
            hosts.insert(host)
        }
    }
}

/// A text that is no host.
package struct PublicHostError: Error, Hashable, Sendable, CustomStringConvertible {
    package let text: String

    init(_ text: String) { self.text = text }

    package var description: String {
        "“\(text)” is no host; write HOST or HOST:PORT, without https:// and a path"
    }
}
