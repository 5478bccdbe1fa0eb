internal import SocketIO

extension ConnectionStateMachine {
    /// Sends an event, or buffers it until there is a connection.
    ///
    /// - Throws: `SocketError.tooManyAttachments`, `.tooLarge` or `.bufferFull`.
    mutating func emit(
        _ name: String,
        _ arguments: [JSON],
        ackID: Int? = nil
    ) throws(SocketError) -> [ConnectionEffect] {
        let packet = SocketPacket.event(name, arguments, namespace: namespace, ackID: ackID)
        let frames = frames(of: packet)
        guard frames.count - 1 <= SocketDecoder.maximumAttachments else { throw .tooManyAttachments }
        if let (bytes, limit) = excess(of: frames) { throw .tooLarge(bytes: bytes, limit: limit) }
        if phase == .connected { return send(frames) }
        guard outgoing.count < bufferLimit, !isFinishing else { throw .bufferFull }
        outgoing.append(packet)
        return []
    }

    /// Sends the buffered events, except those that exceed the server's limit.
    mutating func flush() -> [ConnectionEffect] {
        var reports: [ConnectionEffect] = []
        var flushed: [EnginePacket] = []
        for packet in outgoing {
            let frames = frames(of: packet)
            if let (bytes, limit) = excess(of: frames) {
                let name = packet.eventName ?? ""
                reports.append(.report(.undeliverable(name: name, bytes: bytes, limit: limit)))
            } else {
                flushed += frames
            }
        }
        outgoing = []
        return reports + send(flushed)
    }

    /// Compares the largest frame with the server's limit; nil if it is within the limit.
    private func excess(of frames: [EnginePacket]) -> (bytes: Int, limit: Int)? {
        let largest = frames.map { frame in
            switch frame {
            case .binary(let bytes): bytes.count
            default: frame.text.utf8.count
            }
        }.max()
        guard let serverLimit, let largest, largest > serverLimit else { return nil }
        return (largest, serverLimit)
    }

    /// Acknowledges an event; does nothing if its life has ended.
    mutating func acknowledge(_ id: Int, _ arguments: [JSON], life: Int) -> [ConnectionEffect] {
        guard phase == .connected, life == self.life else { return [] }
        let frames = frames(of: SocketPacket.ack(id, arguments, namespace: namespace))
        guard frames.count - 1 <= SocketDecoder.maximumAttachments else { return [] }
        return send(frames)
    }

    /// Drops the buffered event with this acknowledgement id, because its sender no longer waits.
    mutating func withdraw(ackID: Int) { outgoing.removeAll { $0.ackID == ackID } }

    /// The acknowledgement ids of the buffered events.
    var waitingAcks: Set<Int> { Set(outgoing.compactMap(\.ackID)) }

    /// Encodes a packet as Engine.IO packets: its text, then its attachments.
    func frames(of packet: SocketPacket) -> [EnginePacket] {
        let frames = SocketEncoder.encode(packet)
        return [.message(frames.text)] + frames.attachments.map(EnginePacket.binary)
    }
}
