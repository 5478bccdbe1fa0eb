internal import FrontParsers

/// The host names under which clients reach a server, for example through a proxy.
package struct PublicHosts: Sendable {
    /// The hosts; a host without a port matches every port.
    private(set) var hosts: Set<RequestHost> = []

    package init() {}

    /// Parses hosts separated by commas, as `HOST` or `HOST:PORT`.
    ///
    /// - Throws: `PublicHostError` naming an item that is not a host.
    package init(_ list: String) throws(PublicHostError) {
        for item in list.separatedByCommas {
            guard let host = RequestHost(item) else { throw PublicHostError(item) }
            hosts.insert(host)
        }
    }
}

/// An error for a text that is not a host.
package struct PublicHostError: Error, Hashable, Sendable, CustomStringConvertible {
    package let text: String

    init(_ text: String) { self.text = text }

    package var description: String {
        "“\(text)” is not a host; write HOST or HOST:PORT, without https:// or a path"
    }
}
