internal import SocketIO

/// What a Socket.IO connection does next: no clock, no socket, so that every order of things can be tested.
///
/// A *life* is one transport, from opening to its end. Inputs say which life they belong to; those of
/// an earlier one come late, which is a fact of networks and never an error.
struct ConnectionMachine: Sendable {
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
    private(set) var life = 0
    private(set) var isFinishing = false

    let namespace: String
    let auth: JSONObject?
    let connectTimeout: Duration
    let bufferLimit: Int
    let random: @Sendable () -> Double

    var backoff: Backoff
    var attempt = 0
    var decoder = SocketDecoder()
    var heartbeatPeriod = Duration.zero
    var heartbeatDue = Duration.zero
    /// Events that wait for a connection.
    var outgoing: [SocketPacket] = []
    /// Events that came before the answer to CONNECT, as some servers send them.
    var early: [SocketPacket] = []

    init(_ configuration: SocketConfiguration) {
        namespace = configuration.namespace
        auth = configuration.auth
        connectTimeout = configuration.connectTimeout
        bufferLimit = configuration.bufferLimit
        random = configuration.random
        backoff = configuration.backoff
    }

    /// Takes what happened `now`, a time since any fixed moment, and says what is to be done.
    mutating func handle(_ input: ConnectionInput, at now: Duration) -> [ConnectionEffect] {
        switch input {
        case .connect: connect()
        case .disconnect: disconnect()
        case .finish: finish()
        case .transport(let event, life: life): handle(event, at: now)
        case .deadline(let deadline, life: life): handle(deadline, at: now)
        case .flooded: end(.transportError, .flooded)
        case .transport, .deadline: []
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

    private mutating func open() -> [ConnectionEffect] {
        guard !isFinishing else { return [] }
        life += 1
        attempt += 1
        phase = .opening(isRequested: false)
        decoder = SocketDecoder()
        early = []
        return [
            .report(.connecting(attempt: attempt)), .open(life: life),
            .startDeadline(.connect, life: life, after: connectTimeout),
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
        backoff.reset()
        return isFinishing ? [.finish] : []
    }

    /// DISCONNECT and the engine's close, so that the server need not wait for a timeout.
    mutating func farewell() -> [ConnectionEffect] {
        phase = .leaving(isConnectingAgain: false)
        let packets = frames(of: SocketPacket(type: .disconnect, namespace: namespace))
        return [
            .send(packets + [.close]), .close,
            .startDeadline(.farewell, life: life, after: Self.farewellLimit),
        ]
    }

    private mutating func handle(_ deadline: ConnectionDeadline, at now: Duration) -> [ConnectionEffect] {
        switch (deadline, phase) {
        case (.connect, .opening(let isRequested)):
            return end(.transportError, .timedOut(isRequested ? .answer : .connection, after: connectTimeout))
        case (.connect, .handshaking):
            return end(.transportError, .timedOut(.handshake, after: connectTimeout))
        case (.connect, .joining):
            return end(.transportError, .timedOut(.namespace, after: connectTimeout))
        case (.heartbeat, .joining), (.heartbeat, .connected):
            // One deadline runs at a time, however often the server pings.
            guard now >= heartbeatDue else {
                return [.startDeadline(.heartbeat, life: life, after: heartbeatDue - now)]
            }
            return end(.pingTimeout, .silent(heartbeatPeriod))
        case (.retry, .waiting): return open()
        case (.farewell, .leaving): return left()
        case (.connect, _), (.heartbeat, _), (.retry, _), (.farewell, _): return []
        }
    }

    /// The transport is gone, or must go.
    mutating func end(_ reason: DisconnectReason, _ failure: SocketFailure) -> [ConnectionEffect] {
        switch phase {
        case .idle, .waiting: return []
        case .leaving: return left()
        case .opening, .handshaking, .joining:
            let wait = wait()
            return [.abandon, .report(.connectFailed(failure, retryIn: wait))] + [retry(after: wait)]
        case .connected:
            attempt = 0
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

    private mutating func wait() -> Duration { backoff.next(random: random()) }

    private mutating func retry(after wait: Duration) -> ConnectionEffect {
        phase = .waiting
        return .startDeadline(.retry, life: life, after: wait)
    }
}
