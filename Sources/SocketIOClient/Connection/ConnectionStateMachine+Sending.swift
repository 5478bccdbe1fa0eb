internal import SocketIO

extension ConnectionStateMachine {
    /// Sends an event, or keeps it until there is a connection.
    ///
    /// - Throws: `SocketError.tooManyAttachments`, `.tooLarge`, `.bufferFull`.
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

    /// Sends what has waited for the connection, but for what the server would not take.
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

    /// The size of the largest of these, and the server's limit, where that is lower.
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

    /// Acknowledges an event of a life; does nothing once that has ended.
    mutating func acknowledge(_ id: Int, _ arguments: [JSON], life: Int) -> [ConnectionEffect] {
        guard phase == .connected, life == self.life else { return [] }
        let frames = frames(of: SocketPacket.ack(id, arguments, namespace: namespace))
        guard frames.count - 1 <= SocketDecoder.maximumAttachments else { return [] }
        return send(frames)
    }

    /// Forgets the event that waits with this acknowledgement id: nobody waits for its answer any more.
    mutating func withdraw(ackID: Int) { outgoing.removeAll { $0.ackID == ackID } }

    /// The acknowledgement ids of events not yet sent.
    var waitingAcks: Set<Int> { Set(outgoing.compactMap(\.ackID)) }

    /// A packet as the engine carries it: its text, then its attachments.
    func frames(of packet: SocketPacket) -> [EnginePacket] {
        let frames = SocketEncoder.encode(packet)
        return [.message(frames.text)] + frames.attachments.map(EnginePacket.binary)
    }
}
