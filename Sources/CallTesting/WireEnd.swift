package import CallCore

/// One end of a wire, as the one who joined holds it.
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
    /// The socket is lost; `isSilent` where nobody says so.
    package func lose(isSilent: Bool = false) { wire.lose(id, isSilent: isSilent) }
    package func recover() { wire.recover(id) }
    /// As if the server had said it.
    package func hear(_ event: RoomEvent) { wire.tell(event, to: id) }
}
