internal import CallCore
internal import FrontParsers
internal import NIOCore
internal import SocketIO

/// The relay of events between the members of a room.
extension Rooms {
    /// Relays a decoded event to the other members of the room; events that only the server may send, or with
    /// a false sender, are dropped.
    ///
    /// The event's ack is requested only if there is exactly one other member.
    func relay(
        _ packet: SocketPacket,
        from member: Member,
        on socket: SocketConnection,
        since start: NIODeadline
    ) {
        let name = packet.eventName ?? ""
        if RoomPayloads.isReserved(name) { return }
        if let refusal = refusal(of: packet, from: member) { return drop(refusal, of: member) }
        let others = others(of: member)
        if configuration.holdsSignals { hold(packet, of: member, heardBy: others) }
        var packet = packet
        let ackID = packet.ackID
        packet.ackID = nil
        let remote = cluster?.remote.count(in: member.identity.room) ?? 0
        let ackingID = others.count + remote == 1 ? ackID : nil
        if let cluster, let ackingID, remote == 1 {
            cluster.requests.relay(packet, from: member, ack: ackingID, to: socket)
        } else {
            cluster?.events.relay(packet, from: member)
        }
        if let ackingID, let peer = others.first?.socket {
            packet.ackID = peer.expectAck(for: ackingID, from: socket)
        }
        let messages = packet.enginePackets.map { FramedMessage($0) }
        guard let chaos else {
            return relay(messages, RelayEvent(name), to: others, from: member, since: start)
        }
        let event = RelayEvent(name)
        let recipients = chaos.pass(packet, ChaosEvent(event), of: member, to: others.compactMap(\.socket))
        let hasOpposite = recipients > 0 && others.contains { $0.socket != nil && $0.role != member.role }
        count(event, messages, from: member, to: recipients, hasOpposite, since: start)
    }

    /// Relays the unchanged text of an event without ack and attachments to the other members of the room.
    func relay(
        _ message: FramedMessage,
        _ event: RelayEvent,
        from member: Member,
        since start: NIODeadline
    ) {
        relay(
            CollectionOfOne(message),
            event,
            to: members(of: member.identity.room),
            from: member,
            since: start
        )
        guard let cluster, cluster.events.reaches(member.identity.room) else { return }
        var decoder = SocketDecoder()
        let text = String(decoding: message.payload.readableBytesView.dropFirst(), as: UTF8.self)
        if let packet = try? decoder.decode(text: text) { cluster.events.relay(packet, from: member) }
    }

    /// Sends an event's messages to all of `members` except the sender, and counts them.
    private func relay(
        _ messages: some Collection<FramedMessage>,
        _ event: RelayEvent,
        to members: [Member],
        from sender: Member,
        since start: NIODeadline
    ) {
        var recipients = 0
        var hasOpposite = false
        for member in members where member !== sender {
            guard let socket = member.socket else { continue }
            for message in messages { socket.send(message) }
            recipients += 1
            hasOpposite = hasOpposite || member.role != sender.role
        }
        let remote = cluster?.remote.members(of: sender.identity.room) ?? []
        hasOpposite = hasOpposite || remote.contains { $0.role != sender.role }
        count(event, messages, from: sender, to: recipients, hasOpposite, since: start)
    }

    private func count(
        _ event: RelayEvent,
        _ messages: some Collection<FramedMessage>,
        from sender: Member,
        to recipients: Int,
        _ hasOpposite: Bool,
        since start: NIODeadline
    ) {
        let bytes = messages.reduce(0) { $0 + $1.payload.readableBytes }
        metrics.relayed(event, bytes: bytes, to: recipients, since: start)
        switch event {
        case .answer where hasOpposite: metrics.callAnswered(in: sender.identity.room)
        case .hangup where hasOpposite: metrics.callEnded(in: sender.identity.room)
        case .offer, .answer, .candidate, .ringing, .hangup, .other: break
        }
    }

    private func hold(_ packet: SocketPacket, of member: Member, heardBy others: [Member]) {
        let now = NIODeadline.now()
        for other in others where other.role != member.role { other.held.hear(packet) }
        member.held.add(packet, at: now)
        guard let deadline = member.held.deadline, !member.isForgetting else { return }
        forgetHeld(of: member, at: deadline)
    }

    /// Sets the timer that drops a member's stored signals when they expire; a member has at most one such
    /// timer.
    private func forgetHeld(of member: Member, at deadline: NIODeadline) {
        member.isForgetting = true
        eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self, weak member] in
            guard let self, let member else { return }
            member.isForgetting = false
            _ = member.held.packets(at: .now())
            if let deadline = member.held.deadline { forgetHeld(of: member, at: deadline) }
        }
    }
}

extension SocketPacket {
    /// The Engine.IO packets for the text and the attachments of this packet.
    var enginePackets: [EnginePacket] {
        let frames = SocketEncoder.encode(self)
        return [.message(frames.text)] + frames.attachments.map(EnginePacket.binary)
    }
}
