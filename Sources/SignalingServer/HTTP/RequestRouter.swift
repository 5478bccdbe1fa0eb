internal import FrontParsers
internal import NIOHTTP1

/// The destination of a request.
enum RequestRoute: Sendable {
    /// An Engine.IO request whose head is well-formed.
    case engine(EngineRequest)
    case refused(EngineRefusal)
    /// A request that is refused because of its origin or its host.
    case forbidden(AccessRefusal)
    /// A request for one of the web routes (see `WebRoutes`).
    case web
    case preflight, methodNotAllowed
}

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

/// The routing of requests, based only on their heads.
struct RequestRouter: Sendable {
    /// The maximum length of a request's target in bytes.
    static let maximumTargetLength = 8192

    var access: AccessPolicy
    /// Whether the endpoint of plain Engine.IO is available, which only tests use.
    let hasPlainEngine: Bool

    func route(_ head: HTTPRequestHead) -> RequestRoute {
        let target = RequestTarget(head.uri)
        let found = endpoint(at: target.path)
        do throws(HostError) {
            let host = try RequestHost.named(in: head)
            let refusal = access.refusal(of: head.headers, for: host, isDocument: found == nil)
            if let refusal { return .forbidden(refusal) }
        } catch {
            return .refused(.badRequest)
        }
        if head.method == .OPTIONS {
            return AccessPolicy.isShared(head.uri) ? .preflight : .methodNotAllowed
        }
        guard let endpoint = found else {
            return head.method == .GET || head.method == .HEAD ? .web : .methodNotAllowed
        }
        do throws(EngineRefusal) {
            return .engine(try engineRequest(head, endpoint, query: target.query))
        } catch {
            return .refused(error)
        }
    }

    private func endpoint(at path: String) -> EngineEndpoint? {
        switch path {
        case "/socket.io/", "/socket.io": .socket
        case "/engine.io/" where hasPlainEngine, "/engine.io" where hasPlainEngine: .plain
        default: nil
        }
    }

    private func engineRequest(
        _ head: HTTPRequestHead,
        _ endpoint: EngineEndpoint,
        query: [String: String]
    ) throws(EngineRefusal) -> EngineRequest {
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
        return EngineRequest(
            endpoint: endpoint,
            transport: transport,
            sessionID: sessionID,
            isUpgrade: isUpgrade,
            usesBase64: query["b64"] != nil
        )
    }
}
