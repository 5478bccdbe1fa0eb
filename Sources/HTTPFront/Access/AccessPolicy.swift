package import FrontParsers
package import NIOHTTP1

/// The rules for answering or refusing requests, based on their origin and host.
package struct AccessPolicy: Sendable {
    /// Whether the server listens on a loopback address.
    ///
    /// If so, it answers only requests for loopback names and configured hosts, unless every origin may
    /// connect. This prevents DNS rebinding, in which a page whose name resolves to 127.0.0.1 has the
    /// server's own origin.
    package var isOnLoopback: Bool
    private let origins: OriginPolicy
    private let publicHosts: Set<RequestHost>
    private let hosts: Set<RequestHost>

    /// Creates the rules of a server that listens on `host`, for its own pages and those of `origins`.
    package init(host: String, origins: OriginPolicy, publicHosts: PublicHosts) {
        let listening = RequestHost(listeningOn: host)
        isOnLoopback = listening?.isLoopback ?? false
        self.origins = origins
        self.publicHosts = publicHosts.hosts
        hosts = publicHosts.hosts.union(origins.hosts).union(listening.map { [$0] } ?? [])
    }

    /// Whether only this computer can reach the server, unless a local proxy forwards requests without their host
    /// names.
    package var answersOnlyThisComputer: Bool {
        isOnLoopback && !origins.namesEveryHost && hosts.allSatisfy(\.isLoopback)
    }

    /// Returns the reason why the request is refused; nil if it is answered.
    ///
    /// With `isDocument`, the target is a document to which pages of other sites may link.
    package func refusal(of headers: HTTPHeaders, for host: RequestHost?, isDocument: Bool) -> AccessRefusal?
    {
        if let host, !allows(host) { return .foreignHost }
        return origins.allows(headers, for: host, isDocument: isDocument) ? nil : .foreignOrigin
    }

    /// Creates the CORS headers of a response, which allow pages of permitted origins to read it.
    package func headers(for head: HTTPRequestHead) -> HTTPHeaders {
        Self.isShared(head.uri) ? origins.headers(for: head.headers) : ["Vary": "Origin"]
    }

    /// Determines whether pages of other origins may read a target, which is true of all targets except
    /// metrics.
    package static func isShared(_ uri: String) -> Bool {
        // Most paths need no decoding; searching for a text would take microseconds.
        let path = uri.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "m") }) else {
            return true
        }
        let parts = RequestTarget.decodedPath(of: uri).utf8.split(separator: UInt8(ascii: "/"))
        return !parts.contains { $0.elementsEqual("metrics".utf8) }
    }

    private func allows(_ host: RequestHost) -> Bool {
        guard isOnLoopback || !publicHosts.isEmpty, !origins.namesEveryHost else { return true }
        return host.isLoopback || hosts.contains(host) || hosts.contains(host.withoutPort)
            || !isOnLoopback && host.isAddress
    }
}

/// The reason for refusing a request because of its host or origin.
package enum AccessRefusal: Sendable {
    case foreignHost, foreignOrigin

    package var message: String {
        switch self {
        case .foreignHost: "this host name is not allowed; allow it with `serve --public-host`"
        case .foreignOrigin: "pages of this origin may not connect; allow the origin with `serve --origin`"
        }
    }

    package var counted: ConnectionRefusal {
        switch self {
        case .foreignHost: .foreignHost
        case .foreignOrigin: .foreignOrigin
        }
    }
}
