internal import Basics
internal import CallCore
internal import FrontParsers
internal import Logging
internal import NIOCore
internal import SocketIO

/// The operations on rooms that other servers trigger.
extension Rooms {
    /// The names of all rooms in Socket.IO's sense, including the room that each socket has under its own id.
    var names: [String] { roomIDs.map { "\($0)" } + membersByID.keys }

    /// Determines whether the room with the given name has members on this server; a socket's id is the name
    /// of its own room.
    func hasAnybody(in name: String) -> Bool {
        membersByID[name] != nil || (try? RoomID(name)).map { !members(of: $0).isEmpty } ?? false
    }

    /// Lists the members of the named rooms, or of all rooms if `names` is empty, without duplicates;
    /// `except` names sockets and rooms to leave out.
    func members(in names: [String], except: [String]) -> [Member] {
        let found: [Member]
        switch names.count {
        case 0: found = allMembers
        case 1: found = members(named: names[0])
        default:
            var seen: Set<ObjectIdentifier> = []
            found = names.flatMap(members(named:)).filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        guard !except.isEmpty else { return found }
        let left = Set(except)
        return found.filter { !left.contains($0.sid) && !left.contains("\($0.identity.room)") }
    }

    private func members(named name: String) -> [Member] {
        if let member = membersByID[name] { return [member] }
        return (try? RoomID(name)).map(members(of:)) ?? []
    }

    /// Notifies the room's members on this server that a client has joined on another server.
    func reportJoin(_ member: RemoteMember) {
        send(payloads.joined(member), to: members(of: member.identity.room))
    }

    /// Notifies the room's members on this server that a member has left.
    func reportLeave(_ member: RemoteMember) {
        let others = members(of: member.identity.room)
        noteLeft(member, others)
        send(payloads.left(member), to: others)
    }

    /// Notifies the room's members on this server that one of them has left, and logs it.
    func reportDeparture(_ place: RemoteMember) {
        log("left", place)
        reportLeave(place)
    }

    /// Delivers an event from another server to members on this server.
    func deliver(_ packet: SocketPacket, to members: [Member], from sender: RemoteMember?) {
        let start = NIODeadline.now()
        let messages = packet.enginePackets.map { FramedMessage($0) }
        var recipients = 0
        for member in members {
            if configuration.holdsSignals, sender?.role != member.role { member.held.hear(packet) }
            guard let socket = member.socket else { continue }
            for message in messages { socket.send(message) }
            recipients += 1
        }
        let event = RelayEvent(packet.eventName ?? "")
        let bytes = messages.reduce(0) { $0 + $1.payload.readableBytes }
        metrics.relayed(event, bytes: bytes, to: recipients, since: start)
        guard let sender, members.contains(where: { $0.role != sender.role }) else { return }
        if event == .answer { metrics.callAnswered(in: sender.identity.room) }
        if event == .hangup { metrics.callEnded(in: sender.identity.room) }
    }

    /// Delivers an event to one member, and calls `answer` with the member's ack.
    func deliver(_ packet: SocketPacket, to member: Member, _ answer: @escaping ([JSON]) -> Void) {
        guard let socket = member.socket else { return }
        var packet = packet
        packet.ackID = socket.expectAck(answer)
        socket.send(packet.enginePackets)
    }

    /// Lists the signals that are stored for a member on another server.
    func held(for member: RemoteMember) -> [SocketPacket] {
        guard configuration.holdsSignals else { return [] }
        let now = NIODeadline.now()
        return members(of: member.identity.room).filter { $0.role != member.role }.flatMap { other in
            var decoder = SocketDecoder()
            return other.held.packets(at: now).compactMap { part in
                switch part {
                case .message(let text): try? decoder.decode(text: text)
                case .binary(let bytes): try? decoder.decode(attachment: bytes)
                default: nil
                }
            }
        }
    }

    /// Removes a member whose client has moved to another server, without announcing it.
    ///
    /// The result is false if the client was not on this server.
    @discardableResult
    func supplant(sid: String) -> Bool {
        guard let member = membersByID[sid], removeFromRoom(member) else { return false }
        end(member)
        return true
    }

    /// Removes a member with a lost connection, because another client has claimed its seat on another
    /// server.
    func oust(sid: String) {
        guard let member = membersByID[sid], removeFromRoom(member) else { return }
        reportLeave(member)
        end(member)
    }

    /// Removes a member whose seat another client claimed on another server while Redis was unreachable.
    func evict(_ member: Member) {
        guard removeFromRoom(member) else { return }
        reportLeave(member)
        cluster?.releases.replaced(member)
        end(member)
    }

    private func end(_ member: Member) {
        member.socket?.replaced()
        cluster?.releases.end(member)
    }
}
