internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// This server among others that share their rooms through Redis.
///
/// Confined to the server's event loop. Relays go as the classic Socket.IO adapter sends them; who has which place in
/// a room stands in keys of our own.
final class Cluster {
    /// By what the ids of our own servers are told from others'.
    private static let mark: Character = "~"

    let configuration: ClusterConfiguration
    /// The id under which this server publishes, as long as the official adapter's.
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
    /// Who was heard of in a room while Redis is asked about it, and when they went on under other sockets, else 0.
    private var news: [RoomID: [String: Int]] = [:]
    /// The sockets whose places are being given back.
    var departing: Set<String> = []
    /// Places that could not be given back, and who had them.
    var unreleased: [RemoteMember] = []
    /// Who has come since the others could not be told.
    var unannounced: Set<String> = []
    /// Whether commands had no answer, so that what was published may not have been.
    var mayHaveMissed = false
    /// When the places held here are claimed again.
    var refreshTime = NIODeadline.now()
    /// In how many looks in a row no server of another maker was seen.
    var foreignSilence = 0
    var acks = ClusterAcks()
    /// Lists of foreign servers; of their own, because each who joins asks for one, and no ack is to be lost by that.
    var fetches = ClusterAcks()
    /// Of the answers to other servers that Redis has not taken yet.
    var bytesAnswered = 0
    var lastProblem: String?
    /// What Redis has refused, by the first words of that.
    var refusals: Set<String> = []
    var isComingUp = false
    private(set) var isClosed = false

    /// - Throws: what the files for TLS cannot be read with.
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

    /// Six characters, of which one is the mark.
    private static func randomID() -> String {
        String(mark) + String(SessionID.random().text.prefix(5))
    }

    func isOurs(_ node: String) -> Bool { node.first == Self.mark }

    /// Whether Redis is there, and so the other servers' rooms.
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

    /// Tells the others that this server goes; its clients may go on elsewhere, as after any lost connection.
    ///
    /// - Returns: When Redis knows, or cannot be told soon.
    @discardableResult
    func close() -> EventLoopFuture<Void> {
        guard !isClosed else { return eventLoop.makeSucceededVoidFuture() }
        isClosed = true
        if isUp {
            // Servers of other makers hear of all as gone, and so have to hear of whoever comes back.
            let areForeignersThere = counts.foreignNodes > 0
            seats.stop(for: areForeignersThere ? .zero : lifetime)
            post(.gone)
            if areForeignersThere { for member in rooms.allMembers { publishLeft(member) } }
        }
        let links = [commands.stop(within: .milliseconds(900)), subscription.stop()]
        return EventLoopFuture.andAllComplete(links, on: eventLoop)
    }

    /// Takes Redis' answer to a question about a room, and what was heard of it meanwhile.
    ///
    /// The two come over connections of their own: which is newer cannot be told, but by that what is heard was said
    /// after the question. It is asked within the room's gate, so that there is one at a time.
    func ask(
        _ room: RoomID,
        _ answer: EventLoopFuture<RESPValue>,
        _ done: @escaping (_ answer: RESPValue?, _ news: [String: Int]) -> Void
    ) {
        news[room] = [:]
        answer.assumeIsolated().whenComplete { [weak self] result in
            guard let self, !isClosed else { return }
            let heard = news.removeValue(forKey: room) ?? [:]
            if case .failure(let error) = result { noteFailure(error, in: room) }
            done(try? result.get(), heard)
        }
    }

    /// Asks in a room's turn.
    ///
    /// `question` is nil where by then there is nothing to ask; `next` is called once, asked and answered or not.
    func ask(
        inTurn room: RoomID,
        _ next: @escaping () -> Void,
        _ question: @escaping () -> EventLoopFuture<RESPValue>?,
        _ body: @escaping (_ answer: RESPValue?, _ news: [String: Int]) -> Void
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
    var asked: [RoomID] { Array(news.keys) }

    /// Somebody was heard of, who went on under another socket at that time.
    func note(_ sid: String, in room: RoomID, at time: Int = 0) {
        guard let known = news[room], known[sid] ?? -1 < time else { return }
        // Many more than a room holds: what else is told of it is not worth its memory.
        guard known.count < Self.maximumNews || known[sid] != nil else { return }
        news[room]?[sid] = time
    }

    /// Of a room, while Redis is asked about it.
    private static let maximumNews = 4096

    /// A room that nobody here is in, or wants to be in, is others' business.
    func forgetIfEmpty(_ room: RoomID) {
        if !concerns(room) { presence.forget(room) }
    }

    /// Whether what happens in a room elsewhere concerns anybody here.
    func concerns(_ room: RoomID) -> Bool { gates.isHeld(room) || !rooms.members(of: room).isEmpty }

    /// Whether somebody elsewhere may hear what is said in a room.
    func reaches(_ room: RoomID) -> Bool {
        isUp && (counts.foreignNodes > 0 || !presence.members(of: room).isEmpty)
    }

    /// How many are known in a room on other servers that can be reached now.
    func countRemote(in room: RoomID) -> Int { isUp ? presence.members(of: room).count : 0 }

    func refuse(_ refusal: AdapterRefusal) {
        counts.refused[refusal] += 1
        logger.debug("message over Redis refused", metadata: ["reason": "\(refusal.label)"])
    }
}
