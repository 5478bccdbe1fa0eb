internal import CallCore
internal import Logging
internal import NIOCore
internal import SocketIO

/// Who is in which room, and what they are told of each other.
final class Rooms {
    private let configuration: ServerConfiguration
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let metrics: ServerMetrics
    private let payloads: RoomPayloads
    /// Nil where the server does what it should.
    private let chaos: Chaos?
    /// Whether relaying needs more of an event than its text.
    let decodesEvents: Bool
    private var rooms: [RoomID: [Member]] = [:] {
        didSet { if rooms.isEmpty { drain?.promise.succeed() } }
    }
    private var drain: RoomDrain?
    private var isClosed = false

    init(
        _ configuration: ServerConfiguration,
        eventLoop: any EventLoop,
        metrics: ServerMetrics,
        logger: Logger
    ) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.metrics = metrics
        self.logger = logger
        payloads = RoomPayloads(areStrings: configuration.stringPayloads)
        chaos = configuration.chaos.map {
            Chaos($0, eventLoop: eventLoop, metrics: metrics, logger: logger)
        }
        decodesEvents = configuration.holdsSignals || chaos != nil
    }

    /// How many rooms somebody is in.
    var count: Int { rooms.count }

    /// How many are in a room, those lost within their grace included.
    var memberCount: Int { rooms.values.reduce(0) { $0 + $1.count } }

    /// Lets a client in and tells the others; what it is to be told follows from `welcome(_:)`.
    func join(_ request: JoinRequest, on socket: SocketConnection) throws(JoinRefusal) -> Member {
        let present = rooms[request.identity.room] ?? []
        if let member = present.first(where: { $0.isReturning(with: request) }) {
            resume(member, with: request, on: socket)
            return member
        }
        if let drain { throw .draining(retryAfter: drain.seconds) }
        if !configuration.openRooms {
            let rivals = present.filter { $0.role == request.role }
            guard rivals.allSatisfy({ $0.socket == nil }) else {
                throw rivals.count < present.count ? .roomFull : .roleTaken
            }
            // Their connections are lost, and now somebody else is in their place.
            for rival in rivals { remove(rival) }
        } else if present.count >= configuration.roomCapacity {
            throw .roomFull
        }
        let member = Member(request, socket: socket)
        rooms[request.identity.room, default: []].append(member)
        log("joined", member)
        tell(.userJoined, payloads.joined(member), of: member, to: others(of: member))
        return member
    }

    private func resume(_ member: Member, with request: JoinRequest, on socket: SocketConnection) {
        let earlier = member.socket
        let others = others(of: member)
        let isSame = member.identity == request.identity
        if !isSame { tellLeft(member, to: others) }
        member.resume(with: request, socket: socket)
        log("returned", member)
        earlier?.replaced()
        // With a key it is known to be the same client, which nobody need know. Without one it may
        // be a new one of the same name, and then its peer has to know; and so of a new name.
        guard request.key == nil || !isSame else { return }
        member.held.drop()
        tell(.userJoined, payloads.joined(member), of: member, to: others)
    }

    /// Tells a member that has come in the ICE servers, who is there, and what was held for it.
    func welcome(_ member: Member) {
        let others = others(of: member)
        if let iceServers = iceServers(for: member) { send(iceServers, to: [member]) }
        if chaos?.welcomes(member) ?? true {
            for other in others { tell(.userJoined, payloads.joined(other), of: other, to: [member]) }
            tell(.roomState, payloads.state(others), of: member, to: [member])
        }
        guard configuration.holdsSignals else { return }
        let now = NIODeadline.now()
        for other in others where other.role != member.role {
            member.socket?.send(other.held.packets(at: now))
        }
    }

    private func iceServers(for member: Member) -> SocketPacket? {
        var servers = configuration.iceServers
        var timeToLive = configuration.iceServersTimeToLive
        if let turn = configuration.turn {
            let now = WallClock.seconds
            timeToLive = turn.timeToLive(until: member.request.tokenExpiry, at: now)
            let name = member.identity.username.value
            servers.append(turn.iceServer(for: name, at: now, timeToLive: timeToLive))
        }
        return servers.isEmpty ? nil : payloads.iceServers(servers, timeToLive: timeToLive)
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
        tellLeft(member, to: others)
    }

    private func tellLeft(_ member: Member, to others: [Member]) {
        if !others.contains(where: { $0.role == member.role }) { metrics.callEnded(in: member.identity.room) }
        log("left", member)
        tell(.userLeft, payloads.left(member), of: member, to: others)
    }

    /// Passes an event on to the others in the room as it is.
    ///
    /// Its ack is asked for where exactly one other can give it.
    func relay(
        _ packet: SocketPacket,
        from member: Member,
        on socket: SocketConnection,
        since start: NIODeadline
    ) {
        let name = packet.eventName ?? ""
        if RoomPayloads.isReserved(name) { return }
        let others = others(of: member)
        if configuration.holdsSignals { hold(packet, of: member, heardBy: others) }
        var packet = packet
        let ackID = packet.ackID
        packet.ackID = nil
        if let ackID, others.count == 1, let peer = others[0].socket {
            packet.ackID = peer.expectAck(for: ackID, from: socket)
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

    /// Passes a plain event's text on to the others in the room as it is.
    func relay(
        _ message: FramedMessage,
        _ event: RelayEvent,
        from member: Member,
        since start: NIODeadline
    ) {
        let present = rooms[member.identity.room] ?? []
        relay(CollectionOfOne(message), event, to: present, from: member, since: start)
    }

    /// Sends an event's messages to all of `members` but the sender, and counts that.
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

    /// So that what nobody comes for does not stay; one timer for each member, however much it says.
    private func forgetHeld(of member: Member, at deadline: NIODeadline) {
        member.isForgetting = true
        eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self, weak member] in
            guard let self, let member else { return }
            member.isForgetting = false
            _ = member.held.packets(at: .now())
            if let deadline = member.held.deadline { forgetHeld(of: member, at: deadline) }
        }
    }

    /// Lets nobody in any more, and tells everybody that the server goes.
    ///
    /// - Returns: When everybody has left, or the time is over.
    func drain(within limit: TimeAmount) -> EventLoopFuture<Void> {
        if let drain { return drain.promise.futureResult }
        let drain = RoomDrain(deadline: .now() + limit, promise: eventLoop.makePromise())
        self.drain = drain
        guard !rooms.isEmpty, limit > .zero else {
            drain.promise.succeed()
            return drain.promise.futureResult
        }
        for members in rooms.values { send(payloads.draining(retryIn: drain.seconds), to: members) }
        let timer = eventLoop.assumeIsolated().scheduleTask(deadline: drain.deadline) {
            drain.promise.succeed()
        }
        drain.promise.futureResult.assumeIsolated().whenComplete { _ in timer.cancel() }
        return drain.promise.futureResult
    }

    /// Whether the server is about to go.
    var isDraining: Bool { drain != nil }

    /// Nobody is told anything any more.
    func close() {
        isClosed = true
        drain?.promise.succeed()
    }

    private func others(of member: Member) -> [Member] {
        (rooms[member.identity.room] ?? []).filter { $0 !== member }
    }

    /// Says what the server itself knows of a member, unless it misbehaves.
    private func tell(_ event: ChaosEvent, _ packet: SocketPacket, of member: Member, to members: [Member]) {
        guard let chaos else { return send(packet, to: members) }
        chaos.pass(packet, event, of: member, to: members.compactMap(\.socket))
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
