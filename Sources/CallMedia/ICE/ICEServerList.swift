internal import Basics
internal import CallCore

/// The STUN and TURN servers of an attempt, reduced to those that webrtcbin 1.22 supports.
struct ICEServerList: Hashable, Sendable {
    /// A TURN server with its credentials.
    struct TURN: Hashable, Sendable {
        var url: ICEServerURL
        var username: String
        var credential: String

        /// Returns the URL in the format that webrtcbin expects.
        ///
        /// For TURN over TLS, `loopback` is the `HOST:PORT` of our forwarder, which replaces the host and
        /// port of the server.
        func settingText(through loopback: String? = nil) -> String {
            let (user, secret) = (ICEServerList.escaped(username), ICEServerList.escaped(credential))
            let transport = url.transport == .udp ? "udp" : "tcp"
            return "turn://\(user):\(secret)@\(loopback ?? url.authority)?transport=\(transport)"
        }
    }

    /// The maximum number of TURN servers to use; each one needs a connection per local address.
    private static let maximumTURN = 8
    /// The maximum number of URLs accepted from the signaling server.
    private static let maximumNamed = 8

    /// The first STUN server; webrtcbin queries only one.
    private(set) var stun: ICEServerURL?
    private(set) var turn: [TURN] = []
    /// The messages about ignored URLs, except for additional STUN servers and repeated TURN servers.
    private(set) var complaints: [String] = []

    /// Filters the servers; `lookups` contains the DNS results for `names(in:)`.
    init(_ servers: [ICEServer], lookups: [String: HostLookup] = [:]) {
        for server in servers where server.namedFrom == nil {
            for text in server.urls { add(text, server, lookups) }
        }
        for (text, server) in Self.named(in: servers).read { add(text, server, lookups) }
        guard Self.named(in: servers).hasMore else { return }
        complaints.append(
            "the signaling server names more than \(Self.maximumNamed) STUN and TURN servers: the others are ignored"
        )
    }

    /// Returns the host names that the signaling server specified and that must be resolved before use.
    static func names(in servers: [ICEServer]) -> Set<String> {
        let urls = named(in: servers).read.compactMap { text, server in
            server.namedFrom == .loopback ? nil : ICEServerURL(text)
        }
        return Set(
            urls.map(\.host).filter { HostReach(address: $0) == nil && HostReach(host: $0) == .internet }
        )
    }

    /// Returns the URLs from the signaling server, at most `maximumNamed` of them.
    private static func named(
        in servers: [ICEServer]
    ) -> (read: [(text: String, server: ICEServer)], hasMore: Bool) {
        let all = servers.lazy.filter { $0.namedFrom != nil }.flatMap { server in
            server.urls.map { (text: $0, server: server) }
        }
        let read = Array(all.prefix(maximumNamed + 1))
        return (Array(read.prefix(maximumNamed)), read.count > maximumNamed)
    }

    /// Returns the reason why a URL from the signaling server is ignored; nil if it is allowed.
    ///
    /// A signaling server may not specify a server with a smaller reach than its own. For example, a
    /// signaling server on the Internet may not specify a server in a private network.
    private static func objection(
        to url: ICEServerURL,
        _ server: ICEServer,
        _ lookup: HostLookup?
    ) -> String? {
        guard let place = server.namedFrom, place > .loopback else { return nil }
        if lookup == .late { return "its name could not be resolved in time" }
        var reach = HostReach(host: url.host)
        if case .found(let found)? = lookup { reach = min(reach, found) }
        guard reach < place else { return nil }
        return (reach == .loopback ? "it is on this machine" : "it is in a private network")
            + ", and the signaling server that names it is not"
    }

    private mutating func add(_ text: String, _ server: ICEServer, _ lookups: [String: HostLookup]) {
        guard let url = ICEServerURL(text) else {
            // The text before the host may contain a user name and a secret.
            let shown = text.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            complaints.append("“\(String(shown.prefix(80)).printable())” is not a usable ICE server")
            return
        }
        if let objection = Self.objection(to: url, server, lookups[url.host]) {
            complaints.append("the server \(url) is ignored: \(objection)")
            return
        }
        guard url.scheme != .stun else {
            stun = stun ?? url
            return
        }
        guard let username = server.username, let credential = server.credential, !username.isEmpty else {
            complaints.append("the TURN server \(url) is ignored: it has no user or no secret")
            return
        }
        let entry = TURN(url: url, username: username, credential: credential)
        guard !turn.contains(entry) else { return }
        if turn.count < Self.maximumTURN {
            turn.append(entry)
        } else {
            complaints.append("the TURN server \(url) is ignored: at most \(Self.maximumTURN) are used")
        }
    }

    /// Percent-encodes the reserved characters of a URL's user part (RFC 3986 §3.2.1).
    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte.isASCIIAlphanumeric || [45, 46, 95, 126].contains(byte)
            let hex = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (hex.count == 1 ? "0" : "") + hex
        }.joined()
    }
}

extension UInt8 {
    fileprivate var isASCIIAlphanumeric: Bool {
        (48...57).contains(self) || (65...90).contains(self) || (97...122).contains(self)
    }
}
