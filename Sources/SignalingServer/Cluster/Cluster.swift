internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// This server as a member of a cluster, which shares its rooms through Redis.
///
/// Confined to the server's event loop. Events are relayed in the classic Socket.IO adapter's format; the
/// seats in rooms are stored under keys of our own.
final class Cluster {
    /// The first character of our own servers' ids, which distinguishes them from foreign ones.
    private static let mark: Character = "~"

    let configuration: ClusterConfiguration
    /// The id under which this server publishes; it is as long as the official adapter's.
    let node: String
    let echo: Echo
    let eventLoop: any EventLoop
    let logger: Logger
    var seats: SeatRegistry
    let commands: RedisLink
    let subscription: RedisLink
    unowned let rooms: Rooms
    let gates: RoomGates
    var presence: RemotePresence
    var departures = Departures()
    var counts = ClusterCounts()
    /// The sockets reported in a room while Redis is asked about it.
    ///
    /// The value is the time at which the client moved on to another socket, or 0.
    private var updates: [RoomID: [String: Int]] = [:]
    /// The sockets whose seats are being released.
    var departing: Set<String> = []
    /// The seats that could not be released, with their holders.
    var unreleased: [RemoteMember] = []
    /// The sockets that joined while the other servers could not be told.
    var unannounced: Set<String> = []
    /// Whether commands went unanswered, so that messages may not have been published.
    var mayHaveMissed = false
    /// The time at which the seats held here are claimed again.
    var refreshTime = NIODeadline.now()
    /// The number of consecutive checks that saw no foreign server.
    var foreignSilence = 0
    var acks = ClusterAcks()
    /// The pending member lists of foreign servers.
    ///
    /// They are separate from `acks` because each join requests one, which must not push out an ack.
    var fetches = ClusterAcks()
    /// The size in bytes of responses that Redis has not taken yet.
    var bytesAnswered = 0
    var lastProblem: String?
    /// The error codes of the refusals by Redis that have been logged.
    var refusals: Set<String> = []
    var isComingUp = false
    private(set) var isClosed = false

    /// Creates the cluster and its links to Redis, which `start()` opens.
    ///
    /// - Throws: An error if the files for TLS cannot be read.
    init(
        _ configuration: ClusterConfiguration,
        _ server: ServerConfiguration,
        rooms: Rooms,
        eventLoop: any EventLoop,
        logger: Logger
    ) throws {
        self.configuration = configuration
        self.rooms = rooms
        self.eventLoop = eventLoop
        self.logger = logger
        gates = RoomGates(eventLoop)
        presence = RemotePresence(capacity: max(server.roomCapacity, 2))
        node = Self.randomID()
        echo = Echo(of: node)
        let name = "callrunner\(node)"
        commands = try RedisLink(configuration.redis, for: .commands, name: name, eventLoop: eventLoop)
        subscription = try RedisLink(
            configuration.redis,
            for: .subscription(
                channels: [
                    AdapterChannels.requests, AdapterChannels.responses, AdapterChannels.responses(to: node),
                    AdapterChannels.nodes,
                ],
                patterns: [AdapterChannels.broadcastPattern]
            ),
            name: name,
            eventLoop: eventLoop
        )
        seats = SeatRegistry(
            link: commands,
            node: node,
            isOpen: server.openRooms,
            capacity: server.roomCapacity
        )
        commands.delegate = self
        subscription.delegate = self
        gates.onEmpty = { [weak self] in self?.forgetIfEmpty($0) }
    }

    /// Creates an id of six characters, the first of which is the mark.
    private static func randomID() -> String {
        String(mark) + String(SessionID.random().text.prefix(5))
    }

    func isOurs(_ node: String) -> Bool { node.first == Self.mark }

    /// Whether Redis can be reached, and through it the other servers' rooms.
    var isUp: Bool { counts.isUp }

    var currentCounts: ClusterCounts {
        var counts = counts
        if isUp {
            counts.remoteMembers = presence.count
        } else {
            (counts.nodes, counts.foreignNodes) = (1, 0)
        }
        return counts
    }

    func start() {
        commands.start()
        subscription.start()
        scheduleBeat()
    }

    /// Tells the other servers that this one stops; its clients may reconnect to them.
    ///
    /// - Returns: A future that completes when Redis has been told, or cannot be told soon.
    @discardableResult
    func close() -> EventLoopFuture<Void> {
        guard !isClosed else { return eventLoop.makeSucceededVoidFuture() }
        isClosed = true
        if isUp {
            // Foreign servers are told that all members have left, so returning ones must be announced as
            // new.
            let areForeignersThere = counts.foreignNodes > 0
            seats.stop(for: areForeignersThere ? .zero : lifetime)
            post(.gone)
            if areForeignersThere { for member in rooms.allMembers { publishLeft(member) } }
        }
        let links = [commands.stop(within: .milliseconds(900)), subscription.stop()]
        return EventLoopFuture.andAllComplete(links, on: eventLoop)
    }

    /// Waits for an answer about a room, and passes it on with the updates received meanwhile.
    ///
    /// Both arrive over different connections, so their order is unknown, except that the updates were
    /// published after the question. Questions are asked within the room's gate, so that there is one at a
    /// time.
    func ask(
        _ room: RoomID,
        _ answer: EventLoopFuture<RESPValue>,
        _ done: @escaping (_ answer: RESPValue?, _ updates: [String: Int]) -> Void
    ) {
        updates[room] = [:]
        answer.assumeIsolated().whenComplete { [weak self] result in
            guard let self, !isClosed else { return }
            let heard = updates.removeValue(forKey: room) ?? [:]
            if case .failure(let error) = result { noteFailure(error, in: room) }
            done(try? result.get(), heard)
        }
    }

    /// Asks Redis about a room within its gate.
    ///
    /// `question` returns nil if there is nothing left to ask; `next` is called once, whether or not there is
    /// an answer.
    func ask(
        inTurn room: RoomID,
        _ next: @escaping () -> Void,
        _ question: @escaping () -> EventLoopFuture<RESPValue>?,
        _ body: @escaping (_ answer: RESPValue?, _ updates: [String: Int]) -> Void
    ) {
        gates.enter(room) { [weak self] leave in
            let done = {
                leave()
                next()
            }
            guard let self, !isClosed, let answer = question() else { return done() }
            ask(room, answer) {
                body($0, $1)
                done()
            }
        }
    }

    /// The rooms that Redis is being asked about.
    var asked: [RoomID] { Array(updates.keys) }

    /// Records a report about a socket; `time` is when its client moved on to another socket, or 0.
    func note(_ sid: String, in room: RoomID, at time: Int = 0) {
        guard let known = updates[room], known[sid] ?? -1 < time else { return }
        // The limit is far above a room's size; further updates are not worth their memory.
        guard known.count < Self.maximumUpdates || known[sid] != nil else { return }
        updates[room]?[sid] = time
    }

    /// The maximum number of updates kept per room while Redis is asked.
    private static let maximumUpdates = 4096

    /// Forgets the remote members of a room that nobody here is in or is joining.
    func forgetIfEmpty(_ room: RoomID) {
        if !concerns(room) { presence.forget(room) }
    }

    /// Determines whether changes of a room on other servers concern anybody here.
    func concerns(_ room: RoomID) -> Bool { gates.isHeld(room) || !rooms.members(of: room).isEmpty }

    /// Determines whether anybody on another server may receive a room's events.
    func reaches(_ room: RoomID) -> Bool {
        isUp && (counts.foreignNodes > 0 || !presence.members(of: room).isEmpty)
    }

    /// Counts a room's known members on other servers; 0 while they cannot be reached.
    func countRemote(in room: RoomID) -> Int { isUp ? presence.members(of: room).count : 0 }

    func refuse(_ refusal: AdapterRefusal) {
        counts.refused[refusal] += 1
        logger.debug("message over Redis refused", metadata: ["reason": "\(refusal.label)"])
    }
}
