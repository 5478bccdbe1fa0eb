internal import CallCore

/// The STUN and TURN servers of an attempt, sorted by what webrtcbin 1.22 can do with them.
struct ICEServerList: Hashable, Sendable {
    /// A TURN server with its credentials.
    struct TURN: Hashable, Sendable {
        var url: ICEServerURL
        var username: String
        var credential: String

        /// As webrtcbin wants it: over TLS through our forwarder on `loopback`, a `HOST:PORT`.
        func settingText(through loopback: String? = nil) -> String {
            let (user, secret) = (ICEServerList.escaped(username), ICEServerList.escaped(credential))
            let transport = url.transport == .udp ? "udp" : "tcp"
            return "turn://\(user):\(secret)@\(loopback ?? url.authority)?transport=\(transport)"
        }
    }

    /// A server may name many; each costs a connection per local address.
    private static let mostTURN = 8

    /// webrtcbin asks one.
    private(set) var stun: ICEServerURL?
    private(set) var turn: [TURN] = []
    /// One sentence for each URL that is left out, but for further STUN servers.
    private(set) var complaints: [String] = []

    init(_ servers: [ICEServer]) {
        for server in servers {
            for text in server.urls { take(text, server) }
        }
    }

    private mutating func take(_ text: String, _ server: ICEServer) {
        guard let url = ICEServerURL(text) else {
            // A user and a secret may stand before the host.
            let shown = text.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            complaints.append("“\(String(shown.prefix(80)).printable())” is no ICE server that can be used")
            return
        }
        guard url.scheme != .stun else {
            stun = stun ?? url
            return
        }
        guard let username = server.username, let credential = server.credential, !username.isEmpty else {
            complaints.append("the TURN server \(url) is left out: it came without user and secret")
            return
        }
        let entry = TURN(url: url, username: username, credential: credential)
        guard !turn.contains(entry) else { return }
        if turn.count < Self.mostTURN {
            turn.append(entry)
        } else {
            complaints.append("the TURN server \(url) is left out: \(Self.mostTURN) are enough")
        }
    }

    /// Percent-encodes what has a meaning in the user part of a URL (RFC 3986 §3.2.1).
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
