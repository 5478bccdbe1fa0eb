internal import SocketIO

/// What a Socket.IO connection does next: no clock, no socket, so that every order of things can be tested.
///
/// A *life* is one session, from the opening of its transport to its end; within it polling may give way
/// to WebSocket. Inputs say which life they belong to; those of
/// an earlier one come late, which is a fact of networks and never an error.
struct ConnectionStateMachine: Sendable {
    enum Phase: Hashable, Sendable {
        /// Nothing runs. Leaves by `connect`.
        case idle
        /// The transport opens; whether the server has the request already. Leaves when it has opened, ended or timed out.
        case opening(isRequested: Bool)
        /// Open; waits for the Engine.IO handshake.
        case handshaking
        /// CONNECT is sent; waits for its answer.
        case joining
        /// The namespace is joined.
        case connected
        /// The farewell is sent; waits for the transport's end, and connects again if so wished.
        case leaving(isConnectingAgain: Bool)
        /// Waits before the next attempt.
        case waiting
    }

    /// How long the server may take to close after a farewell.
    static let farewellLimit: Duration = .seconds(1)

    var phase = Phase.idle
    var upgrade = Upgrade.none
    private(set) var life = 0
    /// What the life began with.
    private(set) var transport = TransportName.websocket
    /// The moment of the input being handled.
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
    /// How long the attempt may take in all; in a hurry, until a host has taken the connection.
    var connectLimit = Duration.zero
    var attemptStart = Duration.zero
    /// Whether the last connection ended without a word: the network may be at fault, and its return is
    /// looked for in a hurry.
    var isInHurry = false
    /// When the last hurry began.
    var hurryStart: Duration?
    /// Whether the last failure came without a word from the server.
    var isLastFailureSilent = false
    /// When the server let us in, last.
    var joinTime = Duration.zero
    /// Whether the server was asked for a sign of life, and has not given one.
    var isSignAwaited = false
    var signDue = Duration.zero
    /// Bytes that the server takes in one message, as it has told last.
    var serverLimit: Int?
    /// Events that wait for a connection.
    var outgoing: [SocketPacket] = []
    /// What is sent while polling gives way, and waits for WebSocket.
    var held: [EnginePacket] = []
    /// Events that came before the answer to CONNECT, as some servers send them.
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

    /// Takes what happened `now`, a time since any fixed moment, and says what is to be done.
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

    /// Begins a life with what is left of the attempt's limit.
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

    /// Nothing runs any more.
    mutating func rest() -> [ConnectionEffect] {
        phase = .idle
        attempt = 0
        isInHurry = false
        backoff.reset()
        return isFinishing ? [.finish] : []
    }

    /// DISCONNECT and the engine's close, so that the server need not wait for a timeout.
    mutating func farewell() -> [ConnectionEffect] {
        leave(with: frames(of: SocketPacket(type: .disconnect, namespace: namespace)))
    }

    /// Sends the last packets and the engine's close.
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
            // One deadline runs at a time, however often the server pings.
            guard now >= heartbeatDue else {
                return [.startDeadline(.heartbeat, life: life, after: heartbeatDue - now)]
            }
            return end(.pingTimeout, .silent(heartbeatPeriod))
        case (.signOfLife, .connected): return missSign()
        case (.upgrade, _): return giveUpUpgrade()
        case (.retry, .waiting): return open()
        case (.farewell, .leaving): return left()
        case (.connect, _), (.heartbeat, _), (.signOfLife, _), (.retry, _), (.farewell, _):
            return []
        }
    }

    /// The attempt has run into its limit, unless that was put off.
    private mutating func overrun(_ stage: SocketFailure.Stage) -> [ConnectionEffect] {
        guard now >= connectDue else {
            return [.startDeadline(.connect, life: life, after: connectDue - now)]
        }
        return end(.transportError, .timedOut(stage, after: connectLimit))
    }

    /// The transport is gone, or must go.
    mutating func end(_ reason: DisconnectReason, _ failure: SocketFailure) -> [ConnectionEffect] {
        switch phase {
        case .idle, .waiting: return []
        case .leaving: return left()
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

    private mutating func left() -> [ConnectionEffect] {
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
