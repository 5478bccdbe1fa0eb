internal import NIOHTTP1

/// What a request is for.
enum RequestRoute: Sendable {
    /// A session over WebSocket is to be opened.
    case engine(EngineRequest)
    case refused(EngineRefusal)
    /// For the routes beside Engine.IO.
    case web
    case preflight, methodNotAllowed
}

/// A valid request for a new Engine.IO session.
struct EngineRequest: Sendable {
    let query: [String: String]

    /// Whether the client wants bytes as Base64 text also on WebSocket.
    var usesBase64: Bool { query["b64"] != nil }
}

/// Decides what a request is for, from its head alone.
struct RequestRouter: Sendable {
    let origins: OriginPolicy

    func route(_ head: HTTPRequestHead) -> RequestRoute {
        let target = RequestTarget(head.uri)
        let isReading = head.method == .GET || head.method == .HEAD
        switch target.path {
        case _ where head.method == .OPTIONS: return .preflight
        case "/socket.io/", "/socket.io":
            do {
                return .engine(try engineRequest(head, query: target.query))
            } catch {
                return .refused(error)
            }
        default: return isReading ? .web : .methodNotAllowed
        }
    }

    private func engineRequest(
        _ head: HTTPRequestHead,
        query: [String: String]
    ) throws(EngineRefusal) -> EngineRequest {
        guard query["transport"] == "websocket" else { throw .unknownTransport }
        guard query["sid"] == nil else { throw .unknownSession }
        guard head.method == .GET else { throw .badHandshakeMethod }
        guard head.isWebSocketUpgrade else { throw .badRequest }
        guard origins.allows(head) else { throw .forbidden }
        guard query["EIO"] == "4" else { throw .unsupportedProtocolVersion }
        return EngineRequest(query: query)
    }
}

extension HTTPRequestHead {
    /// Whether the request asks to go on as a WebSocket (RFC 6455).
    var isWebSocketUpgrade: Bool {
        headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
    }
}
