internal import FrontParsers

/// The receiver of an Engine.IO session's messages.
protocol EngineSessionDelegate: AnyObject {
    /// Handles a message, which is binary or valid UTF-8 text that begins with the Engine.IO packet type.
    func session(didReceive message: FramedMessage)
    /// Handles the end of the session and its transport; this is the last call.
    func sessionDidClose(_ reason: DisconnectReason)
}
