internal import CallCore

/// A room's channel that reports each message sent through it.
struct ObservedChannel: SignalingChannel {
    let channel: any SignalingChannel
    let onSend: @Sendable (SignalMessage) -> Void

    var events: AsyncStream<RoomEvent> { channel.events }

    func send(_ message: SignalMessage, to name: String?) async {
        onSend(message)
        await channel.send(message, to: name)
    }

    func probe() async { await channel.probe() }

    func rejoin() async { await channel.rejoin() }
}
