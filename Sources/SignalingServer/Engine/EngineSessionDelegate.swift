/// What an Engine.IO session carries messages for.
protocol EngineSessionDelegate: AnyObject {
    /// A text message, valid UTF-8, of which the first byte is Engine.IO's type; or a binary one.
    func session(didReceive message: FramedMessage)
    /// The last call: the session and its transport are gone.
    func sessionDidClose(_ reason: DisconnectReason)
}
