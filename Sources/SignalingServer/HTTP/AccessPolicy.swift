internal import NIOHTTP1

/// The rules for answering requests, by the page that they come from and the host that they name.
struct AccessPolicy: Sendable {
    /// Whether only this machine can reach the server.
    ///
    /// If so, it answers only under loopback names and configured hosts: a page whose name resolves to
    /// 127.0.0.1 (DNS rebinding) would otherwise count as the server's own.
    var isOnLoopback: Bool
    private let origins: OriginPolicy
    private let publicHosts: Set<RequestHost>
    private let hosts: Set<RequestHost>

    init(_ configuration: ServerConfiguration) {
        let listening = RequestHost(listeningOn: configuration.host)
        isOnLoopback = listening?.isLoopback ?? false
        origins = configuration.origin
        publicHosts = configuration.publicHosts.hosts
        hosts = publicHosts.union(origins.hosts).union(listening.map { [$0] } ?? [])
    }

    /// Returns the reason why the request is refused; nil if it is answered.
    ///
    /// Pages of other sites may link to the target only if it `isDocument`.
    func refusal(of headers: HTTPHeaders, for host: RequestHost?, isDocument: Bool) -> AccessRefusal? {
        if let host, !allows(host) { return .foreignHost }
        return origins.allows(headers, for: host, isDocument: isDocument) ? nil : .foreignOrigin
    }

    /// Creates the headers that allow a page of another origin to read the response.
    func headers(for head: HTTPRequestHead) -> HTTPHeaders {
        Self.isShared(head.uri) ? origins.headers(for: head.headers) : ["Vary": "Origin"]
    }

    /// Determines whether pages of other origins may read that target; metrics are for the administrator
    /// only.
    static func isShared(_ uri: String) -> Bool {
        uri.hasPrefix("/socket.io/")
            || !RequestTarget(uri).decodedPath.split(separator: "/").contains("metrics")
    }

    private func allows(_ host: RequestHost) -> Bool {
        guard isOnLoopback || !publicHosts.isEmpty, !origins.namesEveryHost else { return true }
        return host.isLoopback || hosts.contains(host) || hosts.contains(host.withoutPort)
            || !isOnLoopback && host.isAddress
    }
}

/// The reason for refusing a request by its host or origin.
enum AccessRefusal: Sendable {
    case foreignHost, foreignOrigin

    var message: String {
        switch self {
        case .foreignHost: "this host name is not allowed; allow it with `serve --public-host`"
        case .foreignOrigin: "pages of this origin may not connect; allow the origin with `serve --origin`"
        }
    }

    var counted: ConnectionRefusal {
        switch self {
        case .foreignHost: .foreignHost
        case .foreignOrigin: .foreignOrigin
        }
    }
}
