package import FrontParsers

/// The delegate of a WebSocket; all methods are called on the event loop.
package protocol WebSocketDelegate: AnyObject {
    /// Determines whether received bytes are within the limits; if not, the delegate closes the WebSocket.
    func socketMayReceive(bytes count: Int) -> Bool

    func socket(didReceive message: FramedMessage)

    /// Determines whether a control frame or a fragment is within the limits; if not, the delegate closes the
    /// WebSocket.
    func socketMayReceiveFrame() -> Bool

    /// Called when nothing can be sent or received any more; may be called again when the connection ends.
    func socketDidClose(_ end: WebSocketEnd)
}

/// The reason for the end of a WebSocket.
package enum WebSocketEnd: Hashable, Sendable {
    /// The connection has ended.
    case connectionClosed
    /// The connection has failed, or the client has violated RFC 6455 or sent a message that is too long.
    case failed
    /// The client has sent a close frame.
    case closed
    /// Too much output waited for the client, or output waited too long.
    case slowConsumer
    /// The client did not complete a message in time, or too much input was incomplete.
    case slowSender
}
