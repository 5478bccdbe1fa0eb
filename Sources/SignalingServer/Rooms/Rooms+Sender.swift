internal import CallCore
internal import Logging
internal import SocketIO

/// The checks that events come from the senders they name.
extension Rooms {
    /// Decides why a plain event is not relayed; nil if it is.
    func refusal(of event: EventScan, _ kind: RelayEvent, in text: Span<UInt8>, from member: Member)
        -> DroppedEvent?
    {
        if let refusal = refusal(of: kind, from: member) { return refusal }
        switch event.sender {
        case .none: return nil
        case .ambiguous: return .ambiguousSender
        case .text(let range, let hasEscapes):
            if !hasEscapes, text.hasBytes(of: member.identity.username.value, at: range) { return nil }
            let name = event.sender.decoded(in: text) ?? ""
            return isForged(name, by: member, sid: member.sid) ? .forgedSender : nil
        }
    }

    /// Decides why a decoded event is not relayed; nil if it is.
    func refusal(of packet: SocketPacket, from member: Member) -> DroppedEvent? {
        refusal(of: RelayEvent(packet.eventName ?? ""), from: member)
            ?? (isForged(packet, by: member, sid: member.sid) ? .forgedSender : nil)
    }

    /// Determines whether an event names another member of its sender's room as its sender.
    func isForged(_ packet: SocketPacket, by sender: some Occupant, sid: String) -> Bool {
        guard let name = packet.arguments.first?["from"]?.stringValue else { return false }
        return isForged(name, by: sender, sid: sid)
    }

    /// Counts and logs an event that is not relayed.
    func drop(_ refusal: DroppedEvent, of member: Member) {
        metrics.counts.eventsDropped[refusal] += 1
        log("event dropped", member, ["reason": "\(refusal.label)"])
    }

    /// Checks an event against a token that fixes the role: only callers may offer, only callees may answer.
    private func refusal(of kind: RelayEvent, from member: Member) -> DroppedEvent? {
        guard member.request.isRoleBound else { return nil }
        switch (kind, member.role) {
        case (.offer, .callee), (.answer, .caller): return .otherRole
        case (.offer, .caller), (.answer, .callee), (.candidate, _), (.ringing, _), (.hangup, _), (.other, _):
            return nil
        }
    }

    /// Determines whether a name is, or looks like, that of another member of the sender's room.
    ///
    /// Names that no member has are left to the peers.
    private func isForged(_ name: String, by sender: some Occupant, sid: String) -> Bool {
        if (try? Username(name)) == sender.identity.username { return false }
        let visible = Username.visiblePart(of: name)
        let room = sender.identity.room
        if members(of: room).contains(where: { $0.sid != sid && $0.isNamed(visible) }) { return true }
        return cluster?.presence.members(of: room).contains { $0.sid != sid && $0.isNamed(visible) } ?? false
    }
}

extension Occupant {
    fileprivate func isNamed(_ visible: String) -> Bool { identity.username.visiblePart == visible }
}

extension Span<UInt8> {
    /// Determines whether those bytes are the UTF-8 of a text.
    fileprivate func hasBytes(of text: String, at range: Range<Int>) -> Bool {
        guard text.utf8.count == range.count else { return false }
        var position = range.lowerBound
        for byte in text.utf8 {
            if self[position] != byte { return false }
            position += 1
        }
        return true
    }
}
