internal import SocketIO

/// The state machine of a Socket.IO connection.
///
/// It has neither clock nor socket, so that tests can cover any order of events.
///
/// A *life* is one session, from the opening of its transport to its end; during it, polling may be upgraded
/// to WebSocket. Inputs name their life. Inputs of an earlier life are late, which is normal on networks, and
/// are ignored.
struct ConnectionStateMachine: Sendable {
    enum Phase: Hashable, Sendable {
        /// Nothing runs.
        case idle
        /// The transport is opening; `isRequested` is true once the request was sent.
        case opening(isRequested: Bool)
        /// The transport is open; the Engine.IO handshake is awaited.
        case handshaking
        /// CONNECT is sent; its answer is awaited.
        case joining
        /// The namespace is joined.
        case connected
        /// The session is closing; the transport's end is awaited, after which a new attempt may start.
        case leaving(isConnectingAgain: Bool)
        /// The wait before the next attempt.
        case waiting
    }

    /// The time in which the server must close the transport after DISCONNECT.
    static let farewellLimit: Duration = .seconds(1)

    var phase = Phase.idle
    var upgrade = Upgrade.none
    private(set) var life = 0
    /// The transport with which the life began.
    private(set) var transport = TransportName.websocket
    /// The time of the current input.
    private(set) var now = Duration.zero
    private(set) var isFinishing = false

    let namespace: String
    let auth: JSONObject?
    let connectTimeout: Duration
    let transports: SocketTransports
    let bufferLimit: Int
    let random: @Sendable () -> Double

    var backoff: Backoff
    var attempt = 0
    var decoder = SocketDecoder()
    var heartbeatPeriod = Duration.zero
    var heartbeatDue = Duration.zero
    /// The limit of the attempt; during a hurried reconnection, of opening the connection.
    var connectLimit = Duration.zero
    var attemptStart = Duration.zero
    /// Whether attempts follow each other quickly, because the connection was lost silently.
    ///
    /// The network may be at fault, and may return at any moment.
    var isInHurry = false
    /// The start of the last hurried reconnection.
    var hurryStart: Duration?
    /// Whether the server said nothing about the last failure (`SocketFailure.isSilent`).
    var isLastFailureSilent = false
    /// The time at which the namespace was last joined.
    var joinTime = Duration.zero
    /// Whether a liveness check is unanswered.
    var isSignAwaited = false
    var signDue = Duration.zero
    /// The maximum size of a message in bytes, as the server last announced it.
    var serverLimit: Int?
    /// The events that are buffered until there is a connection.
    var outgoing: [SocketPacket] = []
    /// The packets that are held during the switch from polling to WebSocket.
    var held: [EnginePacket] = []
    /// The events that arrived before the answer to CONNECT, as some servers send them.
    var early: [SocketPacket] = []

    init(_ configuration: SocketConfiguration) {
        namespace = configuration.namespace
        auth = configuration.auth
        connectTimeout = configuration.connectTimeout
        transports = configuration.transports
        bufferLimit = configuration.bufferLimit
        random = configuration.random
        backoff = configuration.backoff
    }

    /// Handles an input and decides its effects; `now` is the time since any fixed moment.
    mutating func handle(_ input: ConnectionInput, at now: Duration) -> [ConnectionEffect] {
        self.now = now
        switch input {
        case .connect: return connect()
        case .disconnect: return disconnect()
        case .finish: return finish()
        case .transport(let event, life: life): return upgrade == .done ? [] : handle(event)
        case .probe(let event, life: life): return handleProbe(event)
        case .deadline(let deadline, life: life): return handle(deadline)
        case .doubt: return doubt()
        case .networkChanged(let address): return changeNetwork(lostAddress: address)
        case .flooded: return end(.transportError, .flooded)
        case .transport, .probe, .deadline: return []
        }
    }

    private mutating func connect() -> [ConnectionEffect] {
        switch phase {
        case .idle, .waiting: return open()
        case .leaving: phase = .leaving(isConnectingAgain: true)
        case .opening, .handshaking, .joining, .connected: break
        }
        return []
    }

    mutating func open() -> [ConnectionEffect] {
        guard !isFinishing else { return [] }
        attempt += 1
        return [.report(.connecting(attempt: attempt))] + beginAttempt()
    }

    mutating func beginAttempt() -> [ConnectionEffect] {
        attemptStart = now
        connectLimit = isInHurry ? min(connectTimeout, Self.hurriedLimit) : connectTimeout
        return begin(over: transports.first)
    }

    /// Starts a life with the rest of the attempt's time.
    mutating func begin(over transport: TransportName) -> [ConnectionEffect] {
        life += 1
        phase = .opening(isRequested: false)
        self.transport = transport
        upgrade = .none
        isSignAwaited = false
        decoder = SocketDecoder()
        early = []
        held = []
        return [
            .open(life: life, over: transport),
            .startDeadline(.connect, life: life, after: max(connectDue - now, .milliseconds(1))),
        ]
    }

    private mutating func disconnect() -> [ConnectionEffect] {
        switch phase {
        case .idle: return []
        case .waiting: return rest()
        case .leaving:
            phase = .leaving(isConnectingAgain: false)
            return []
        case .opening, .handshaking: return [.abandon] + rest()
        case .joining: return farewell()
        case .connected:
            return farewell() + [
                .failAcks(except: waitingAcks), .report(.disconnected(.clientDisconnect, nil, retryIn: nil)),
            ]
        }
    }

    private mutating func finish() -> [ConnectionEffect] {
        isFinishing = true
        return phase == .idle ? [.finish] : disconnect()
    }

    /// Enters the idle phase.
    mutating func rest() -> [ConnectionEffect] {
        phase = .idle
        attempt = 0
        isInHurry = false
        backoff.reset()
        return isFinishing ? [.finish] : []
    }

    /// Sends DISCONNECT and closes the engine, so that the server need not wait for a timeout.
    mutating func farewell() -> [ConnectionEffect] {
        leave(with: frames(of: SocketPacket(type: .disconnect, namespace: namespace)))
    }

    /// Sends the last packets and closes the engine.
    mutating func leave(with packets: [EnginePacket] = []) -> [ConnectionEffect] {
        phase = .leaving(isConnectingAgain: false)
        return giveUpUpgrade() + [
            .send(packets + [.close]), .close,
            .startDeadline(.farewell, life: life, after: Self.farewellLimit),
        ]
    }

    private mutating func handle(_ deadline: ConnectionDeadline) -> [ConnectionEffect] {
        switch (deadline, phase) {
        case (.connect, .opening(let isRequested)): return overrun(isRequested ? .answer : .connection)
        case (.connect, .handshaking): return overrun(.handshake)
        case (.connect, .joining): return overrun(.namespace)
        case (.heartbeat, .joining), (.heartbeat, .connected):
            // One deadline is restarted, however often the server pings.
            guard now >= heartbeatDue else {
                return [.startDeadline(.heartbeat, life: life, after: heartbeatDue - now)]
            }
            return end(.pingTimeout, .silent(heartbeatPeriod))
        case (.signOfLife, .connected): return missSign()
        case (.upgrade, _): return giveUpUpgrade()
        case (.retry, .waiting): return open()
        case (.farewell, .leaving): return completeLeaving()
        case (.connect, _), (.heartbeat, _), (.signOfLife, _), (.retry, _), (.farewell, _):
            return []
        }
    }

    /// Ends the attempt, unless its limit was extended meanwhile.
    private mutating func overrun(_ stage: SocketFailure.Stage) -> [ConnectionEffect] {
        guard now >= connectDue else {
            return [.startDeadline(.connect, life: life, after: connectDue - now)]
        }
        return end(.transportError, .timedOut(stage, after: connectLimit))
    }

    /// Handles the end of the transport, or a reason to end it.
    mutating func end(_ reason: DisconnectReason, _ failure: SocketFailure) -> [ConnectionEffect] {
        switch phase {
        case .idle, .waiting: return []
        case .leaving: return completeLeaving()
        case .opening, .handshaking, .joining:
            isInHurry = isInHurry && failure.isSilent && now - (hurryStart ?? now) < Self.longestHurry
            isLastFailureSilent = failure.isSilent
            let wait = wait()
            upgrade = .none
            return [.abandon, .report(.connectFailed(failure, retryIn: wait))] + [retry(after: wait)]
        case .connected:
            attempt = 0
            upgrade = .none
            isLastFailureSilent = failure.isSilent
            if now - joinTime >= Self.steadyTime { backoff.reset() }
            if isWorthHurry(failure) { return loseSilently(reason, failure) }
            let wait = wait()
            return [
                .abandon, .failAcks(except: waitingAcks),
                .report(.disconnected(reason, failure, retryIn: wait)), retry(after: wait),
            ]
        }
    }

    private mutating func completeLeaving() -> [ConnectionEffect] {
        let isConnectingAgain = phase == .leaving(isConnectingAgain: true)
        let effects = [.abandon] + rest()
        return isConnectingAgain ? effects + open() : effects
    }

    private mutating func wait() -> Duration {
        isInHurry ? Self.hurriedWait : backoff.next(random: random())
    }

    private mutating func retry(after wait: Duration) -> ConnectionEffect {
        phase = .waiting
        return .startDeadline(.retry, life: life, after: wait)
    }
}
