/// The reason why a connection could not be opened, or was lost.
public enum SocketFailure: Error, Hashable, Sendable {
    /// The step of an attempt at which a time limit expired.
    public enum Stage: Hashable, Sendable {
        /// Opening a TCP or TLS connection.
        case connection
        /// The HTTP response, after the request was sent.
        case answer
        /// The Engine.IO handshake.
        case handshake
        /// The response to CONNECT.
        case namespace
    }

    /// The text is not an absolute `http`, `https`, `ws` or `wss` URL, or it has a fragment.
    case invalidURL(String)
    /// The host was not reached: no route, an unknown name, or no response.
    case unreachable(String)
    /// The host refused the connection: no program listens on the port.
    case refused(String)
    /// TLS failed, or the server's certificate is not trusted.
    case untrusted(String)
    /// The server answered with the HTTP status `status` instead of accepting the connection or, if `status` is
    /// nil, with something other than Engine.IO 4 and Socket.IO 5.
    case notEngineIO(String, status: Int?)
    /// A time limit expired.
    case timedOut(Stage, after: Duration)
    /// A received message exceeds the size limit.
    case messageTooLarge(limit: Int)
    /// The server refused a POST of this size as too large (HTTP status 413).
    case payloadRefused(bytes: Int)
    /// Events arrived faster than they were read.
    case flooded
    /// The server did not read, and the unsent data exceeded the limit.
    case unread
    /// A received message is not an Engine.IO or Socket.IO packet.
    case malformed(String)
    /// The server closed the connection; `code` is its WebSocket close code.
    ///
    /// It is nil if no close code arrived, and 1005 for a close frame without a code (RFC 6455 §7.4.1).
    case closed(code: Int?)
    /// The server sent no ping, or did not answer a liveness check, for this time.
    case silent(Duration)
    /// This host no longer has the connection's local address.
    case addressLost(String)
    /// An open connection broke, or, over polling, a request of the current session was refused.
    case broken(String)
}

extension SocketFailure {
    /// Whether the failure came without a message from the server, so that the network may be at fault.
    ///
    /// An example is a TCP reset from a router that has dropped its record of the connection.
    public var isSilent: Bool {
        switch self {
        case .unreachable, .timedOut(.connection, _), .silent, .addressLost, .broken: true
        case .invalidURL, .refused, .untrusted, .notEngineIO, .timedOut, .messageTooLarge, .payloadRefused,
            .flooded, .unread, .malformed, .closed:
            false
        }
    }
}

extension SocketFailure: CustomStringConvertible {
    /// A one-line message.
    public var description: String {
        switch self {
        case .invalidURL(let text): "“\(text)” is not an http:// or https:// address"
        case .unreachable(let detail), .refused(let detail): detail
        case .untrusted(let detail): "TLS: \(detail)"
        case .notEngineIO(let detail, _): "not a Socket.IO server: \(detail)"
        case .timedOut(.connection, let limit): "no connection within \(limit)"
        case .timedOut(.answer, let limit):
            "the server accepted the connection, then sent nothing for \(limit)"
        case .timedOut(.handshake, let limit): "no Engine.IO handshake within \(limit)"
        case .timedOut(.namespace, let limit): "no answer to the Socket.IO CONNECT within \(limit)"
        case .messageTooLarge(let limit): "the server sent a message above the size limit of \(limit) bytes"
        case .payloadRefused(let bytes):
            "the server refuses a message of \(bytes) bytes as too large (HTTP status 413)"
        case .flooded: "the server sent more events than could be read"
        case .unread: "the server did not read what was sent to it"
        case .malformed(let detail): "the server sent an invalid Socket.IO packet: \(detail)"
        case .closed(1009?):
            "the server closed the connection because a message was too large for it (WebSocket code 1009)"
        case .closed(let code?): "the server closed the connection (WebSocket code \(code))"
        case .closed(nil): "the server closed the connection"
        case .silent(let period): "nothing received from the server for \(period)"
        case .addressLost(let address): "this machine has lost its address \(address)"
        case .broken(let detail): detail
        }
    }
}
