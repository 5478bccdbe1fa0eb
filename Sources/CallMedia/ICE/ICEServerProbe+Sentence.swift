internal import CallCore

extension ICEServerProbe.Answer {
    /// Returns a sentence that explains why `server` is unusable; nil if it is usable.
    func problem(of server: ICEServerURL) -> String? {
        switch self {
        case .mapped, .relayed: nil
        case .refused(401, let reason), .refused(441, let reason):
            "the server \(server) refuses user or secret (\(Self.code(401, reason)))"
        case .refused(let code, let reason): "the server \(server) refuses (\(Self.code(code, reason)))"
        case .unreachable(let reason): "the server \(server) is not reached: \(reason)"
        }
    }

    /// Returns advice on how to fix the problem.
    func hint(for server: ICEServerURL) -> String {
        switch self {
        case .mapped, .relayed: "check that UDP passes between the TURN server and the peer"
        case .refused(401, _), .refused(441, _):
            "check user and secret of --turn, or the server's own of ice_servers"
        case .refused(440, _): "let the TURN server relay for this family of addresses, or try --ipv4"
        case .refused: "see the TURN server's log"
        case .unreachable(let reason) where reason.hasPrefix("TLS"):
            "check the TURN server's certificate and name; --cacert FILE trusts its authority, --insecure any"
        case .unreachable where server.scheme == .stun: "check host, port and that UDP passes"
        case .unreachable where server.transport == .udp:
            "check host, port and that UDP passes; ?transport=tcp or turns: get through where it does not"
        case .unreachable: "check host and port of the TURN server, and that it is running"
        }
    }

    /// Whether repeating the same request is pointless.
    var isFinal: Bool {
        if case .refused(let code, _) = self { [400, 401, 403, 440, 441, 442].contains(code) } else { false }
    }

    private static func code(_ code: Int, _ reason: String) -> String {
        reason.isEmpty ? "\(code)" : "\(code) \(reason)"
    }
}
