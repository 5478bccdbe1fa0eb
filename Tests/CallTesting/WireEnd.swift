package import CallCore

/// The connection of one participant to a `Wire`.
package struct WireEnd: SignalingChannel {
    let wire: Wire
    let id: Int
    package let events: AsyncStream<RoomEvent>

    package func send(_ message: SignalMessage, to name: String?) async {
        wire.send(message, from: id, to: name)
    }
    package func probe() async {}
    package func rejoin() async { wire.rejoin(id) }

    package func leave() { wire.leave(id) }
    /// Simulates the loss of the socket; with `isSilent`, the server does not detect it at once.
    package func lose(isSilent: Bool = false) { wire.lose(id, isSilent: isSilent) }
    package func recover() { wire.recover(id) }
    /// Delivers an event as if the server had sent it.
    package func hear(_ event: RoomEvent) { wire.emit(event, to: id) }
}
