internal import Basics
internal import CallCore
internal import HTTPFront
internal import Logging
internal import NIOCore
internal import SocketIO

/// The members of all rooms on this server, and the events that inform them of each other.
final class Rooms {
    let configuration: ServerConfiguration
    let eventLoop: any EventLoop
    private let logger: Logger
    let metrics: ServerMetrics
    let payloads: RoomPayloads
    /// The fault injection; nil if it is disabled.
    let chaos: Chaos?
    /// The cluster of servers that share these rooms; nil for a single server.
    var cluster: Cluster?
    /// Whether relaying an event requires decoding it.
    let decodesEvents: Bool
    private var rooms: [RoomID: [Member]] = [:] {
        didSet { if rooms.isEmpty { drain?.promise.succeed() } }
    }
    /// The members by the ids under which other servers know them; empty on a single server.
    private(set) var membersByID: [String: Member] = [:]
    private let heldSignals = HeldSignals.Budget()
    private var drain: DrainController?
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

    /// The number of rooms with members.
    var count: Int { rooms.count }

    /// The number of members, including those that have lost their connection but may still return.
    private(set) var memberCount = 0

    /// Lists a room's members on this server, including those that have lost their connection but may still
    /// return.
    func members(of room: RoomID) -> [Member] { rooms[room] ?? [] }

    var allMembers: [Member] { Array(rooms.values.joined()) }

    var roomIDs: [RoomID] { Array(rooms.keys) }

    /// Checks whether this server's members and its drain period allow a join; the result is the member whose
    /// client returns, if any.
    func check(_ request: JoinRequest) throws(JoinRefusal) -> Member? {
        let present = members(of: request.identity.room)
        if let member = present.first(where: { $0.isReturning(with: request) }) { return member }
        if let drain { throw .draining(retryAfter: drain.seconds) }
        if !configuration.openRooms {
            let rivals = present.filter { $0.role == request.role }
            guard rivals.allSatisfy({ $0.socket == nil }) else {
                throw others(than: rivals, in: request.identity.room) ? .roomFull : .roleTaken
            }
        } else if present.count >= configuration.roomCapacity {
            throw .roomFull
        }
        return nil
    }

    /// Finds the connection with the requested role if it may be the client's own earlier one, whose loss is
    /// not detected yet; nil otherwise.
    func doubtfulHolder(for request: JoinRequest) -> SocketConnection? {
        guard !configuration.openRooms else { return nil }
        return members(of: request.identity.room).first { $0.mayBeEarlier(than: request) }?.socket
    }

    private func others(than rivals: [Member], in room: RoomID) -> Bool {
        members(of: room).count > rivals.count || cluster?.remote.members(of: room).isEmpty == false
    }

    /// Admits a client and announces it to the others; `welcome(_:)` then informs the client itself.
    ///
    /// `sid` is the id under which other servers know the member, `since` the time of the join in
    /// milliseconds since 1970. With `isKnown`, the member is not announced, because it was on another server
    /// before.
    func join(
        _ request: JoinRequest,
        on socket: SocketConnection,
        sid: String,
        since: Int = 0,
        isKnown: Bool = false
    ) throws(JoinRefusal) -> Member {
        if let member = try check(request) {
            resume(member, with: request, on: socket, since: since)
            return member
        }
        if !configuration.openRooms {
            // The connections of these members are lost, and another client replaces them now.
            for rival in members(of: request.identity.room) where rival.role == request.role {
                removeFromRoom(rival)
                reportLeave(rival)
                cluster?.releases.replaced(rival)
            }
        }
        let member = Member(request, socket: socket, sid: sid, since: since, signals: heldSignals)
        rooms[request.identity.room, default: []].append(member)
        memberCount += 1
        if cluster != nil { membersByID[sid] = member }
        log("joined", member)
        if !isKnown { reportJoin(member) }
        return member
    }

    private func reportJoin(_ member: Member) {
        emit(.userJoined, payloads.joined(member), of: member, to: others(of: member))
        cluster?.events.announceJoined(member, sid: member.sid)
    }

    private func resume(
        _ member: Member,
        with request: JoinRequest,
        on socket: SocketConnection,
        since: Int
    ) {
        let earlier = member.socket
        let isSame = member.identity == request.identity
        if !isSame {
            reportLeave(member)
            cluster?.events.publishLeft(member)
        }
        member.resume(with: request, socket: socket, since: since)
        log("returned", member)
        earlier?.replaced()
        // A key proves that the client is the same, so it is not announced. Without a key, it may be a
        // different client with the same name, so its peers are notified. A new name is announced too.
        guard request.key == nil || !isSame else { return }
        member.held.drop()
        reportJoin(member)
        if isSame { cluster?.events.announceReturn(of: member) }
    }

    /// Sends a new member the ICE servers, the list of the room's members, and the signals stored for it.
    func welcome(_ member: Member) {
        let others = others(of: member)
        let room = member.identity.room
        let remote = cluster?.remote.members(of: room) ?? []
        if let iceServers = iceServers(for: member) { send(iceServers, to: [member]) }
        if chaos?.welcomes(member) ?? true {
            for other in others { emit(.userJoined, payloads.joined(other), of: other, to: [member]) }
            for other in remote { send(payloads.joined(other), to: [member]) }
            let isDegraded = cluster?.link.isUp == false
            emit(
                .roomState,
                payloads.state(others + remote, isDegraded: isDegraded),
                of: member,
                to: [member]
            )
        }
        cluster?.requests.requestForeignMembers([room])
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

    /// Removes a member whose connection has ended: immediately if it left, after the grace period if it lost the
    /// connection.
    func leave(_ member: Member, _ reason: DisconnectReason) {
        member.socket = nil
        guard !isClosed else { return }
        if reason.isLeave { return remove(member) }
        member.losses += 1
        cluster?.releases.lose(member)
        log("lost", member, ["reason": "\(reason.rawValue)"])
        let loss = member.losses
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(configuration.grace)) { [weak self] in
            guard let self, !isClosed, member.socket == nil, member.losses == loss else { return }
            remove(member)
        }
    }

    private func remove(_ member: Member) {
        if let cluster { return cluster.releases.remove(member) }
        if removeFromRoom(member) { reportLeave(member) }
    }

    /// Removes a member from its room without announcing it; false if it is not in the room.
    @discardableResult
    func removeFromRoom(_ member: Member) -> Bool {
        let others = others(of: member)
        let left = members(of: member.identity.room).count - others.count
        guard left > 0 else { return false }
        memberCount -= left
        rooms[member.identity.room] = others.isEmpty ? nil : others
        membersByID[member.sid] = nil
        return true
    }

    /// Notifies the room's other members on this server that a member has left.
    func reportLeave(_ member: Member) {
        let others = others(of: member)
        noteLeft(member, others)
        log("left", member)
        emit(.userLeft, payloads.left(member), of: member, to: others)
    }

    func noteLeft(_ member: some Occupant, _ others: [Member]) {
        if !others.contains(where: { $0.role == member.role }) { metrics.callEnded(in: member.identity.room) }
    }

    /// Refuses new joins from now on, and notifies all members that the server stops.
    ///
    /// - Returns: A future that completes when all members have left, or when the time limit has passed.
    func drain(within limit: TimeAmount) -> EventLoopFuture<Void> {
        if let drain { return drain.promise.futureResult }
        let drain = DrainController(deadline: .now() + limit, promise: eventLoop.makePromise())
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

    /// Whether the server is about to stop.
    var isDraining: Bool { drain != nil }

    /// Ends the drain period, and ignores departures of members from now on.
    func close() {
        isClosed = true
        drain?.promise.succeed()
    }

    func others(of member: Member) -> [Member] {
        members(of: member.identity.room).filter { $0 !== member }
    }

    /// Sends an event about a member on behalf of the server, with the faults of fault injection.
    private func emit(_ event: ChaosEvent, _ packet: SocketPacket, of member: Member, to members: [Member]) {
        guard let chaos else { return send(packet, to: members) }
        chaos.pass(packet, event, of: member, to: members.compactMap(\.socket))
    }

    func send(_ packet: SocketPacket, to members: [Member]) {
        let packets = packet.enginePackets
        for member in members { member.socket?.send(packets) }
    }

    func log(_ event: Logger.Message, _ member: some Occupant, _ details: Logger.Metadata = [:]) {
        var metadata = details
        metadata["room"] = "\(member.identity.room)"
        metadata["username"] = "\(member.identity.username)"
        metadata["role"] = "\(member.role)"
        logger.debug(event, metadata: metadata)
    }
}

/// The checks that events name their actual senders.
extension Rooms {
    /// The maximum length in bytes of a sender's name in an event; a longer name counts as forged.
    ///
    /// Apps other than callrunner may send any text as the name, and finding the visible part of a long one would be
    /// slow.
    private static let longestSender = 8192

    /// Returns the reason for dropping an event that has not been decoded; nil if it may be relayed.
    func refusal(of event: EventScan, _ kind: RelayEvent, in text: Span<UInt8>, from member: Member)
        -> DroppedEvent?
    {
        if let refusal = refusal(of: kind, from: member) { return refusal }
        switch event.sender {
        case .none: return nil
        case .ambiguous: return .ambiguousSender
        case .text(let range, let hasEscapes):
            if !hasEscapes, text.hasBytes(of: member.identity.username.value, at: range) { return nil }
            guard range.count <= Self.longestSender else { return .forgedSender }
            let name = event.sender.decoded(in: text) ?? ""
            return isForged(name, by: member, sid: member.sid) ? .forgedSender : nil
        }
    }

    /// Returns the reason for dropping a decoded event; nil if it may be relayed.
    func refusal(of packet: SocketPacket, from member: Member) -> DroppedEvent? {
        refusal(of: RelayEvent(packet.eventName ?? ""), from: member)
            ?? (isForged(packet, by: member, sid: member.sid) ? .forgedSender : nil)
    }

    /// Determines whether an event falsely names another member of the room as its sender.
    func isForged(_ packet: SocketPacket, by sender: some Occupant, sid: String) -> Bool {
        guard let name = packet.arguments.first?["from"]?.stringValue else { return false }
        guard name.utf8.count <= Self.longestSender else { return true }
        return isForged(name, by: sender, sid: sid)
    }

    /// Counts and logs an event that is dropped.
    func drop(_ refusal: DroppedEvent, of member: Member) {
        metrics.counts.eventsDropped[refusal] += 1
        log("event dropped", member, ["reason": "\(refusal.label)"])
    }

    /// Checks an event of a client whose token fixes its role; nil if the event may be relayed.
    ///
    /// Only callers may send offers, and only callees answers.
    private func refusal(of kind: RelayEvent, from member: Member) -> DroppedEvent? {
        guard member.request.isRoleBound else { return nil }
        switch (kind, member.role) {
        case (.offer, .callee), (.answer, .caller): return .otherRole
        case (.offer, .caller), (.answer, .callee), (.candidate, _), (.ringing, _), (.hangup, _), (.other, _):
            return nil
        }
    }

    /// Determines whether a name is, or looks like, the name of another member of the sender's room.
    ///
    /// Names that belong to no member are not checked here, but by the recipients.
    private func isForged(_ name: String, by sender: some Occupant, sid: String) -> Bool {
        if (try? Username(name)) == sender.identity.username { return false }
        let visible = VisibleText.visiblePart(of: name)
        // Comparing a long text with all names would take a noticeable time.
        guard visible.utf8.count <= Username.longestForm else { return false }
        let room = sender.identity.room
        if members(of: room).contains(where: { $0.sid != sid && $0.isNamed(visible) }) { return true }
        return cluster?.remote.members(of: room).contains { $0.sid != sid && $0.isNamed(visible) } ?? false
    }
}

extension Occupant {
    fileprivate func isNamed(_ visible: String) -> Bool { identity.username.visiblePart == visible }
}

extension Span<UInt8> {
    /// Determines whether the bytes in a range are the UTF-8 encoding of a text.
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
