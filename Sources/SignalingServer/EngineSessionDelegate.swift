/// What an Engine.IO session carries messages for.
protocol EngineSessionDelegate: AnyObject {
    func session(didReceive text: String)
    func session(didReceive bytes: [UInt8])
    /// The client's address has sent more messages than allowed; the session is about to be closed.
    func sessionDidFlood()
    /// The last call: the session and its transport are gone.
    func sessionDidClose(_ reason: DisconnectReason)
}
