/// An event of a WebSocket connection.
package enum WebSocketEvent: Hashable, Sendable {
    /// The whole request that opens the connection was sent.
    case requested
    /// The connection is open; `subprotocol` is the one that the server chose, if any.
    case opened(subprotocol: String?)
    case text(String)
    case binary([UInt8])
    /// The server answered a ping.
    case pong
    /// The connection was closed; `code` is the server's close code (RFC 6455 §7.4).
    ///
    /// It is nil if the server sent no close frame, and 1005 if its close frame contained no code.
    case closed(code: Int?, reason: String)
    case failed(HTTPFailure)
    /// The server refused to open the connection; the values are the status and the content type of its
    /// response.
    case refused(status: Int, type: String?)

    /// Whether no event follows.
    package var isLast: Bool {
        switch self {
        case .requested, .opened, .text, .binary, .pong: false
        case .closed, .failed, .refused: true
        }
    }
}
