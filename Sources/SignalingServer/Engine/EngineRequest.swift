internal import FrontParsers
internal import HTTPFront
internal import NIOHTTP1

/// A request for a new or an existing Engine.IO session.
struct EngineRequest: Sendable {
    let endpoint: EngineEndpoint
    let transport: TransportKind
    /// The id of the session; nil for a new one.
    let sessionID: SessionID?
    /// Whether the client requests an upgrade to WebSocket.
    let isUpgrade: Bool
    /// Whether the client requests binary data as Base64 text, even on WebSocket.
    let usesBase64: Bool
}

/// The protocol of a session's messages.
enum EngineEndpoint: Sendable {
    /// Socket.IO.
    case socket
    /// Engine.IO without Socket.IO.
    case plain
}

extension EngineEndpoint {
    /// Finds the endpoint at a path; nil if there is none.
    ///
    /// The endpoint of plain Engine.IO exists only in tests.
    init?(at path: String, hasPlainEngine: Bool) {
        switch path {
        case "/socket.io/", "/socket.io": self = .socket
        case "/engine.io/" where hasPlainEngine, "/engine.io" where hasPlainEngine: self = .plain
        default: return nil
        }
    }
}

extension EngineRequest {
    /// Reads a request from its head and query, without the body.
    ///
    /// - Throws: `EngineRefusal` if this is not a valid Engine.IO request.
    init(
        _ head: HTTPRequestHead,
        _ endpoint: EngineEndpoint,
        query: [String: String]
    ) throws(EngineRefusal) {
        let isUpgrade = head.isWebSocketUpgrade
        guard let transport = query["transport"].flatMap(TransportKind.init),
            !isUpgrade || transport == .websocket
        else { throw .unknownTransport }
        var sessionID: SessionID?
        if let text = query["sid"] {
            guard let known = SessionID(text) else { throw .unknownSession }
            sessionID = known
        } else {
            guard head.method == .GET else { throw .badHandshakeMethod }
            guard isUpgrade || transport == .polling else { throw .badRequest }
            guard query["EIO"] == "4" else { throw .unsupportedProtocolVersion }
        }
        self.init(
            endpoint: endpoint,
            transport: transport,
            sessionID: sessionID,
            isUpgrade: isUpgrade,
            usesBase64: query["b64"] != nil
        )
    }
}
