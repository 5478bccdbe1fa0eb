internal import Basics
internal import CallCore
internal import HTTPFront
internal import Logging
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// The receiver of a `ClusterLink`'s state changes and messages.
protocol ClusterLinkDelegate: AnyObject {
    /// Called when Redis becomes reachable; `mayHaveMissed` is true if other servers may lack some of this server's
    /// members.
    func linkDidComeUp(mayHaveMissed: Bool)

    /// Called when Redis cannot be reached any more, or refuses commands.
    func linkDidGoDown()

    /// Handles a message from another server; `pattern` is the pattern subscription that matched its channel,
    /// if any.
    func receive(_ bytes: ByteBuffer, on channel: String, pattern: String?) throws(AdapterRefusal)
}

/// The connections of a server to Redis, which are up while Redis accepts the server's heartbeats.
///
/// Confined to the server's event loop.
final class ClusterLink {
    /// The first character of the ids of callrunner servers, which distinguishes them from other
    /// implementations.
    private static let mark: Character = "~"

    private let configuration: ClusterConfiguration
    /// The id under which this server publishes, of the same length as in the official adapter.
    let node: String
    let eventLoop: any EventLoop
    let logger: Logger
    let seats: SeatRegistry
    let commands: RedisLink
    let subscription: RedisLink
    weak var delegate: (any ClusterLinkDelegate)?
    private let echo: Echo
    /// Whether Redis can be reached and accepts commands, so that rooms are shared with other servers.
    private(set) var isUp = false
    private(set) var isClosed = false
    /// The number of times that sharing stopped, because the connection to Redis was lost or Redis refused a
    /// command.
    private(set) var losses = 0
    /// The number of events published.
    private(set) var published = 0
    private(set) var refused = Tally<AdapterRefusal>()
    /// Whether a connection ended before Redis had answered all commands, so that messages may have been
    /// lost.
    private var mayHaveMissed = false
    private var isComingUp = false
    private var lastProblem: String?
    /// The error codes in Redis' replies that have been logged already.
    private var refusals: Set<String> = []

    /// Creates the connections to Redis, which `start()` opens.
    ///
    /// - Throws: An error if the files for TLS cannot be read.
    init(
        _ configuration: ClusterConfiguration,
        _ server: ServerConfiguration,
        eventLoop: any EventLoop,
        logger: Logger
    ) throws {
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.logger = logger
        node = String(Self.mark) + String(SessionID.random().text.prefix(5))
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
    }

    /// The time until a heartbeat expires.
    var lifetime: TimeAmount { TimeAmount(configuration.lifetime) }
    /// The time from one heartbeat to the next.
    var interval: TimeAmount { TimeAmount(configuration.interval) }

    /// Determines whether a server's id is that of a callrunner server.
    func isOurs(_ node: String) -> Bool { node.first == Self.mark }

    func start() {
        commands.start()
        subscription.start()
    }

    /// Calls `goodbye` if Redis can be reached, then closes the connections.
    ///
    /// - Returns: A future that completes when Redis has answered all commands, or after a timeout.
    func close(_ goodbye: () -> Void) -> EventLoopFuture<Void> {
        guard !isClosed else { return eventLoop.makeSucceededVoidFuture() }
        isClosed = true
        if isUp { goodbye() }
        let links = [commands.stop(within: .milliseconds(900)), subscription.stop()]
        return EventLoopFuture.andAllComplete(links, on: eventLoop)
    }

    // MARK: - Up and down

    /// Starts sharing rooms if Redis accepts a heartbeat; a Redis that refuses writes is treated as
    /// unreachable.
    func startSharing() {
        guard commands.isOpen, subscription.isOpen, !isUp, !isComingUp, !isClosed else { return }
        isComingUp = true
        sendHeartbeat { [weak self] result in
            guard let self else { return }
            isComingUp = false
            guard case .success(let wasKnown) = result, commands.isOpen, subscription.isOpen else { return }
            // If the outage was logged as a warning, so is its end.
            let level: Logger.Level = lastProblem == nil ? .notice : .warning
            lastProblem = nil
            isUp = true
            logger.log(
                level: level,
                "rooms are shared",
                metadata: ["redis": "\(configuration.redis.address)", "node": "\(node)"]
            )
            let hasMissed = !wasKnown || mayHaveMissed
            mayHaveMissed = false
            delegate?.linkDidComeUp(mayHaveMissed: hasMissed)
        }
    }

    /// Sends this server's heartbeat; `done` receives whether the previous one had not expired, or the error.
    func sendHeartbeat(_ done: @escaping (_ wasKnown: Result<Bool, any Error>) -> Void) {
        seats.live(for: lifetime).assumeIsolated().whenComplete { [weak self] result in
            guard let self, !isClosed else { return }
            if case .failure(let error) = result { noteFailure(error) }
            done(result.map { $0.integer == 1 })
        }
    }

    /// Stops sharing rooms if Redis has refused a command, for example because it is out of memory.
    ///
    /// The refusal is logged, and the connections stay open. Sharing starts again when Redis accepts a
    /// heartbeat.
    private func noteFailure(_ error: any Error) {
        if let error = error as? RedisError, case .refused = error { stopSharing(error) }
    }

    /// Logs a command that Redis refuses for one room, for example because a key has data of another type.
    ///
    /// Sharing continues, because other rooms are not affected; only error codes other than `ERR` and
    /// `WRONGTYPE` stop it.
    func noteFailure(_ error: any Error, in room: RoomID) {
        guard case .refused(let words) = error as? RedisError,
            ["ERR", "WRONGTYPE"].contains(words.prefix { $0 != " " })
        else {
            return noteFailure(error)
        }
        guard isFirst(words) else { return }
        logger.error(
            "Redis refuses a command for a room",
            metadata: ["room": "\(room)", "reason": "\(words)"]
        )
    }

    /// Logs a message that Redis refuses to publish.
    func noteRefusal(_ words: String) {
        guard isFirst(words) else { return }
        logger.error("Redis refuses a message to other servers", metadata: ["reason": "\(words)"])
    }

    private func isFirst(_ refusal: String) -> Bool {
        refusals.count < 16 && refusals.insert(String(refusal.prefix { $0 != " " })).inserted
    }

    private func stopSharing(_ error: RedisError) {
        let wasUp = isUp
        if isUp {
            isUp = false
            losses += 1
            delegate?.linkDidGoDown()
        }
        // Log each reason once, however many attempts fail.
        let problem = "\(error)"
        guard problem != lastProblem, !isClosed else { return }
        lastProblem = problem
        let event = wasUp ? "connection to Redis lost" : "Redis cannot be used"
        var metadata: Logger.Metadata = ["redis": "\(configuration.redis.address)", "reason": "\(problem)"]
        metadata["hint"] = error.hint.map { "\($0)" }
        logger.warning("\(event), rooms are not shared", metadata: metadata)
    }

    // MARK: - Messages

    func publish(_ channel: String, _ bytes: [UInt8]) {
        commands.post(RedisCommand("PUBLISH", channel, bytes))
    }

    /// Publishes an event to a room, or to a single socket if `room` is its id.
    func publish(_ packet: SocketPacket, to room: String, except sids: [String] = []) {
        commands.post(publication(of: packet, to: room, except: sids))
    }

    /// Creates the command that publishes an event, and counts the event.
    func publication(of packet: SocketPacket, to room: String, except sids: [String]) -> RedisCommand {
        let broadcast = AdapterBroadcast(node: node, packet, rooms: [room], except: sids)
        published += 1
        return RedisCommand("PUBLISH", broadcast.channel, broadcast.encoded)
    }

    /// Publishes an event that requests acks, which the recipients' servers send to this server under `id`.
    func publish(_ packet: SocketPacket, to room: String, except sids: [String], ack id: String) {
        let broadcast = AdapterBroadcast(node: node, packet, rooms: [room], except: sids)
        published += 1
        publish(AdapterChannels.requests, broadcast.request(id: id))
    }

    /// Publishes a message to the other callrunner servers.
    func post(_ message: NodeMessage) {
        commands.post(
            RedisCommand("PUBLISH", AdapterChannels.nodes, message.json(from: node).serialized())
        )
    }

    /// Counts and logs the refusal of another server's message.
    func refuse(_ refusal: AdapterRefusal) {
        refused[refusal] += 1
        logger.debug("message over Redis refused", metadata: ["reason": "\(refusal.label)"])
    }
}

extension ClusterLink: RedisLinkDelegate {
    func linkDidOpen(_ link: RedisLink) { startSharing() }

    func link(_ link: RedisLink, didClose error: RedisError, unanswered: Int) {
        mayHaveMissed = mayHaveMissed || unanswered > 0
        stopSharing(error)
    }

    func link(_ link: RedisLink, didRefuse words: String) { noteRefusal(words) }

    func link(_ link: RedisLink, didReceive payload: RESPValue, on channel: String, pattern: String?) {
        guard !isClosed else { return }
        guard let bytes = payload.bytes else {
            if case .oversized = payload { refuse(.oversized) } else { refuse(.malformed) }
            return
        }
        guard !echo.isHeard(in: bytes) else { return }
        do throws(AdapterRefusal) {
            try delegate?.receive(bytes, on: channel, pattern: pattern)
        } catch {
            refuse(error)
        }
    }
}
