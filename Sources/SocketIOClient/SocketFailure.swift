/// What kept a connection from being made, or broke it.
public enum SocketFailure: Error, Hashable, Sendable {
    /// What was waited for when a time limit ran out.
    public enum Stage: Hashable, Sendable {
        /// A TCP or TLS connection.
        case connection
        /// An HTTP answer, after the request was sent.
        case answer
        /// The Engine.IO handshake.
        case handshake
        /// The answer to CONNECT.
        case namespace
    }

    /// Not an absolute `http`, `https`, `ws` or `wss` URL, or one with a fragment.
    case invalidURL(String)
    /// No connection: no route, an unknown host, or no answer.
    case unreachable(String)
    /// The host refused the connection: nobody listens there.
    case refused(String)
    /// TLS failed, or the server's certificate is not trusted.
    case untrusted(String)
    /// What answered does not speak Engine.IO 4; with the HTTP status, where there was one.
    case notEngineIO(String, status: Int?)
    /// Nothing came within the time limit.
    case timedOut(Stage, after: Duration)
    /// A message has more bytes than allowed.
    case messageTooLarge(limit: Int)
    /// The server refused a POST of so many bytes as too large (HTTP status 413).
    case payloadRefused(bytes: Int)
    /// More events arrived than were read.
    case flooded
    /// A message is no Engine.IO or Socket.IO packet.
    case malformed(String)
    /// The server closed the connection; with the WebSocket close code, where it sent one.
    case closed(code: Int?)
    /// The server's heartbeat, or the sign of life asked for, stayed out.
    case silent(Duration)
    /// This machine has the connection's own address no more.
    case addressLost(String)
    /// The network failed under a live connection.
    case broken(String)
}

extension SocketFailure {
    /// Whether the server has said nothing of it: the network may be at fault, as is a router that has forgotten
    /// a connection and resets it.
    public var isSilent: Bool {
        switch self {
        case .unreachable, .timedOut(.connection, _), .silent, .addressLost, .broken: true
        case .invalidURL, .refused, .untrusted, .notEngineIO, .timedOut, .messageTooLarge, .payloadRefused,
            .flooded, .malformed, .closed:
            false
        }
    }
}

extension SocketFailure: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .invalidURL(let text): "“\(text)” is no http:// or https:// address"
        case .unreachable(let detail), .refused(let detail): detail
        case .untrusted(let detail): "TLS: \(detail)"
        case .notEngineIO(let detail, _): "no Socket.IO server: \(detail)"
        case .timedOut(.connection, let limit): "no connection within \(limit)"
        case .timedOut(.answer, let limit):
            "the server accepted the connection, then said nothing for \(limit)"
        case .timedOut(.handshake, let limit): "no Engine.IO handshake within \(limit)"
        case .timedOut(.namespace, let limit): "no answer to the Socket.IO CONNECT within \(limit)"
        case .messageTooLarge(let limit): "the server sent a message above the size limit of \(limit) bytes"
        case .payloadRefused(let bytes):
            "the server refuses a message of \(bytes) bytes as too large (HTTP status 413)"
        case .flooded: "the server sent more events than could be read"
        case .malformed(let detail): "the server sent what is no Socket.IO packet: \(detail)"
        case .closed(1009?):
            "the server closed the connection because a message was too large for it (WebSocket code 1009)"
        case .closed(let code?): "the server closed the connection (WebSocket code \(code))"
        case .closed(nil): "the server closed the connection"
        case .silent(let period): "nothing heard from the server for \(period)"
        case .addressLost(let address): "the address \(address) is gone from this machine"
        case .broken(let detail): detail
        }
    }
}
