/// The receiver of an Engine.IO session's messages.
protocol EngineSessionDelegate: AnyObject {
    /// Handles a text message, which is valid UTF-8 and begins with Engine.IO's type byte, or a binary
    /// message.
    func session(didReceive message: FramedMessage)
    /// Handles the end of the session and its transport; this is the last call.
    func sessionDidClose(_ reason: DisconnectReason)
}
