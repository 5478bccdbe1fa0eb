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
    let eventLoop: any EventLoop
    let logger: Logger
    let seats: SeatRegistry
    let commands: RedisLink
    let subscription: RedisLink
    unowned let rooms: Rooms
    var presence = RemotePresence()
    var counts = ClusterCounts()
    /// Joins that wait until one before them in the same room is decided.
    private var gates: [RoomID: CircularBuffer<() -> Void>] = [:]
    /// Places that could not be given back, and who had them.
    var unreleased: [RemoteMember] = []
    /// Who has come since the others could not be told.
    var unannounced: Set<String> = []
    /// Until when who is silent may only not have come back yet.
    var trustsUntil = NIODeadline.now()
    /// When the places held here are claimed again.
    var refreshTime = NIODeadline.now()
    var acks = ClusterAcks()
    private var lastProblem: String?
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
        node = Self.randomID()
        let name = "callrunner\(node)"
        commands = try RedisLink(configuration.redis, for: .commands, name: name, eventLoop: eventLoop)
        subscription = try RedisLink(
            configuration.redis,
            for: .subscription(
                channels: [AdapterChannels.requests, AdapterChannels.responses, AdapterChannels.nodes],
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
        counts.remoteMembers = presence.count
        return counts
    }

    func start() {
        commands.start()
        subscription.start()
        scheduleBeat()
    }

    /// Tells the others that this server goes; its places are free with that.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if isUp {
            if counts.foreignNodes > 0 {
                for member in rooms.allMembers {
                    publishLeft(member)
                }
            }
            commands.post(RedisCommand("DEL", ClusterKeys.heartbeat(of: node)))
            post(.gone)
        }
        commands.stop()
        subscription.stop()
    }

    /// Runs `body` when all that entered the room before have left it; `leave` is to be called once.
    func enter(_ room: RoomID, _ body: @escaping (_ leave: @escaping () -> Void) -> Void) {
        let run = { [weak self] in body { self?.leave(room) } }
        guard gates[room] == nil else {
            gates[room]?.append(run)
            return
        }
        gates[room] = []
        run()
    }

    private func leave(_ room: RoomID) {
        if let next = gates[room]?.popFirst() { return next() }
        gates[room] = nil
        forgetIfEmpty(room)
    }

    /// Whether what happens in a room elsewhere concerns anybody here.
    func concerns(_ room: RoomID) -> Bool { gates[room] != nil || !rooms.members(of: room).isEmpty }

    /// Whether somebody elsewhere may hear what is said in a room.
    func reaches(_ room: RoomID) -> Bool {
        isUp && (counts.foreignNodes > 0 || !presence.members(of: room).isEmpty)
    }

    func post(_ message: NodeMessage) {
        commands.post(
            RedisCommand("PUBLISH", AdapterChannels.nodes, message.json(from: node).serialized())
        )
    }

    func refuse(_ refusal: AdapterRefusal) {
        counts.refused[refusal] += 1
        logger.debug("message over Redis refused", metadata: ["reason": "\(refusal.label)"])
    }
}

extension Cluster: RedisLinkDelegate {
    func linkDidOpen(_ link: RedisLink) {
        guard commands.isOpen, subscription.isOpen, !isUp, !isClosed else { return }
        lastProblem = nil
        counts.isUp = true
        logger.notice(
            "rooms are shared",
            metadata: ["redis": "\(configuration.redis.address)", "node": "\(node)"]
        )
        heal()
    }

    func link(_ link: RedisLink, didClose error: RedisError, unanswered: Int) {
        if isUp {
            counts.isUp = false
            counts.losses += 1
            acks.forgetAll()
        }
        // Once for each reason, however often it is tried.
        let problem = "\(error)"
        guard problem != lastProblem, !isClosed else { return }
        lastProblem = problem
        logger.warning(
            "Redis is lost, rooms are this server's alone",
            metadata: ["redis": "\(configuration.redis.address)", "reason": "\(problem)"]
        )
    }

    func link(_ link: RedisLink, didRefuse words: String) {}

    func link(_ link: RedisLink, didReceive payload: RESPValue, on channel: String, pattern: String?) {
        guard !isClosed else { return }
        guard let bytes = payload.bytes else {
            if case .oversized = payload { refuse(.oversized) } else { refuse(.malformed) }
            return
        }
        do throws(AdapterRefusal) {
            switch (pattern, channel) {
            case (.some, _): try receive(broadcast: bytes, on: channel)
            case (nil, AdapterChannels.nodes): try receive(nodeMessage: Array(bytes.readableBytesView))
            case (nil, AdapterChannels.requests): try receive(request: Array(bytes.readableBytesView))
            case (nil, AdapterChannels.responses): try receive(response: Array(bytes.readableBytesView))
            default: break
            }
        } catch {
            refuse(error)
        }
    }
}
