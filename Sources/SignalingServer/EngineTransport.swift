internal import SocketIO

/// What carries a session's packets.
protocol EngineTransport: AnyObject {
    /// Sends packets, in their order; those of a closed transport are dropped.
    func send(_ packets: [EnginePacket])

    /// Sends what is still to be sent, then closes.
    func close(_ reason: DisconnectReason)
}
