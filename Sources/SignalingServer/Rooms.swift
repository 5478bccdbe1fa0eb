internal import CallCore
internal import Logging
internal import NIOCore
internal import SocketIO

/// Who is in which room, and what they are told of each other.
final class Rooms {
    private let configuration: ServerConfiguration
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let payloads: RoomPayloads
    private var rooms: [RoomID: [Member]] = [:]
    private var isClosed = false

    init(_ configuration: ServerConfiguration, eventLoop: any EventLoop, logger: Logger) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.logger = logger
        payloads = RoomPayloads(areStrings: configuration.stringPayloads)
    }

    /// How many rooms somebody is in.
    var count: Int { rooms.count }

    /// Lets a client in and tells the others; what it is to be told follows from `welcome(_:)`.
    func join(_ request: JoinRequest, on socket: SocketConnection) throws(JoinRefusal) -> Member {
        let present = rooms[request.identity.room] ?? []
        if let member = present.first(where: { $0.isReturning(with: request) }) {
            resume(member, with: request, on: socket)
            return member
        }
        if !configuration.openRooms {
            let rivals = present.filter { $0.role == request.role }
            guard rivals.allSatisfy({ $0.socket == nil }) else {
                throw rivals.count < present.count ? .roomFull : .roleTaken
            }
            // Their connections are lost, and now somebody else is in their place.
            for rival in rivals { remove(rival) }
        }
        let member = Member(request, socket: socket)
        rooms[request.identity.room, default: []].append(member)
        log("joined", member)
        send(payloads.joined(member), to: others(of: member))
        return member
    }

    private func resume(_ member: Member, with request: JoinRequest, on socket: SocketConnection) {
        let earlier = member.socket
        member.resume(with: request, socket: socket)
        log("returned", member)
        earlier?.replaced()
        // With a key it is known to be the same client, which nobody need know. Without one it may
        // be a new one of the same name, and then its peer has to know.
        if request.key == nil { send(payloads.joined(member), to: others(of: member)) }
    }

    /// What a member is told when it has come in: the ICE servers, then who is there.
    func welcome(_ member: Member) -> [SocketPacket] {
        let others = others(of: member)
        var packets = others.map(payloads.joined) + [payloads.state(others)]
        if !configuration.iceServers.isEmpty {
            let timeToLive = configuration.iceServersTimeToLive
            packets.insert(payloads.iceServers(configuration.iceServers, timeToLive: timeToLive), at: 0)
        }
        return packets
    }

    /// Takes out a member that said so, at once; one whose connection is lost when the grace is over.
    func leave(_ member: Member, _ reason: DisconnectReason) {
        member.socket = nil
        guard !isClosed else { return }
        if reason.isLeave { return remove(member) }
        member.losses += 1
        log("lost", member, ["reason": "\(reason.rawValue)"])
        let loss = member.losses
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(configuration.grace)) { [weak self] in
            guard let self, !isClosed, member.socket == nil, member.losses == loss else { return }
            remove(member)
        }
    }

    private func remove(_ member: Member) {
        let others = others(of: member)
        guard others.count < rooms[member.identity.room]?.count ?? 0 else { return }
        rooms[member.identity.room] = others.isEmpty ? nil : others
        log("left", member)
        send(payloads.left(member), to: others)
    }

    /// Passes an event on to the others in the room as it is.
    ///
    /// Its ack is asked for where exactly one other can give it.
    func relay(_ packet: SocketPacket, from member: Member, on socket: SocketConnection) {
        if let name = packet.eventName, RoomPayloads.isReserved(name) { return }
        let others = others(of: member)
        var packet = packet
        let ackID = packet.ackID
        packet.ackID = nil
        if let ackID, others.count == 1, let peer = others[0].socket {
            packet.ackID = peer.expectAck(for: ackID, from: socket)
        }
        send(packet, to: others)
    }

    /// Whether relaying needs more of an event than its text.
    var decodesEvents: Bool { false }

    /// Passes a plain event's text on to the others in the room as it is.
    func relay(_ message: FramedMessage, from member: Member) {
        guard let present = rooms[member.identity.room] else { return }
        for other in present where other !== member { other.socket?.send(message) }
    }

    /// Nobody is told anything any more.
    func close() { isClosed = true }

    private func others(of member: Member) -> [Member] {
        (rooms[member.identity.room] ?? []).filter { $0 !== member }
    }

    private func send(_ packet: SocketPacket, to members: [Member]) {
        let packets = packet.enginePackets
        for member in members { member.socket?.send(packets) }
    }

    private func log(_ event: Logger.Message, _ member: Member, _ details: Logger.Metadata = [:]) {
        var metadata = details
        metadata["room"] = "\(member.identity.room)"
        metadata["username"] = "\(member.identity.username)"
        metadata["role"] = "\(member.role)"
        logger.debug(event, metadata: metadata)
    }
}

extension SocketPacket {
    /// The packet as an Engine.IO session carries it.
    var enginePackets: [EnginePacket] {
        let frames = SocketEncoder.encode(self)
        return [.message(frames.text)] + frames.attachments.map(EnginePacket.binary)
    }
}
