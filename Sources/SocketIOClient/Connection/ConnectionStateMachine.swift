internal import Basics
internal import SocketIO

/// The state machine of a Socket.IO connection.
///
/// It uses neither a clock nor a socket, so that tests can cover any order of events.
///
/// Sessions are numbered; the number is called `life`. A session lasts from the opening to the end of its
/// transport, which may be upgraded from polling to WebSocket. Every input from a transport or a deadline
/// contains the number of its session. A late input of an earlier session is normal on networks, and is
/// ignored.
struct ConnectionStateMachine: Sendable {
    enum Phase: Hashable, Sendable {
        /// There is no session, and no attempt is planned.
        case idle
        /// The transport is opening; `isRequested` is true once the HTTP request was sent.
        case opening(isRequested: Bool)
        /// The transport is open; the Engine.IO handshake is awaited.
        case handshaking
        /// CONNECT is sent; its response is awaited.
        case joining
        /// The namespace is joined.
        case connected
        /// The session is closing; when its transport has ended, a new attempt starts if `isConnectingAgain`.
        case leaving(isConnectingAgain: Bool)
        /// The wait before the next attempt.
        case waiting
    }

    /// The time limit for the server to close the transport after DISCONNECT.
    static let closingTimeout: Duration = .seconds(1)

    var phase = Phase.idle
    var upgrade = Upgrade.none
    private(set) var life = 0
    /// The transport with which the session began.
    private(set) var transport = TransportName.websocket
    /// The time at which the current input was received.
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
    /// The time limit of the attempt; during a fast reconnection, the limit for opening the connection.
    var connectLimit = Duration.zero
    var attemptStart = Duration.zero
    /// Whether attempts follow each other quickly, because the connection was lost silently.
    ///
    /// The network may be the cause, and may work again at any moment.
    var isReconnectingFast = false
    /// The start of the last fast reconnection.
    var fastReconnectionStart: Duration?
    /// Whether the last failure came without a message from the server (`SocketFailure.isSilent`).
    var isLastFailureSilent = false
    /// The time at which the namespace was last joined.
    var joinTime = Duration.zero
    /// Whether the server has yet to answer a liveness check.
    var isSignAwaited = false
    var signDue = Duration.zero
    /// The maximum size of a message in bytes as most recently announced by the server; nil before the first handshake.
    var serverLimit: Int?
    /// The events that are buffered until there is a connection.
    var outgoing: [SocketPacket] = []
    /// The packets that are queued during the switch from polling to WebSocket.
    var held: [EnginePacket] = []
    /// The events that arrived before the response to CONNECT; some servers send such events.
    var early: [SocketPacket] = []
    var earlySize = 0

    init(_ configuration: SocketConfiguration) {
        namespace = configuration.namespace
        auth = configuration.auth
        connectTimeout = configuration.connectTimeout
        transports = configuration.transports
        bufferLimit = configuration.bufferLimit
        random = configuration.random
        backoff = configuration.backoff
    }

    /// Handles an input and returns its effects; `now` is the time since an arbitrary, fixed moment.
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
        connectLimit = isReconnectingFast ? min(connectTimeout, Self.fastConnectTimeout) : connectTimeout
        return begin(over: transports.first)
    }

    /// Starts a session; the time limit of the current attempt continues to run.
    mutating func begin(over transport: TransportName) -> [ConnectionEffect] {
        life += 1
        phase = .opening(isRequested: false)
        self.transport = transport
        upgrade = .none
        isSignAwaited = false
        decoder = SocketDecoder()
        (early, earlySize) = ([], 0)
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
        case .joining: return sendDisconnect()
        case .connected:
            return sendDisconnect() + [
                .failAcks(except: waitingAcks), .report(.disconnected(.clientDisconnect, nil, retryIn: nil)),
            ]
        }
    }

    private mutating func finish() -> [ConnectionEffect] {
        isFinishing = true
        return phase == .idle ? [.finish] : disconnect()
    }

    /// Enters the idle phase and resets the waits between attempts; finishes the connection if that is
    /// requested.
    mutating func rest() -> [ConnectionEffect] {
        phase = .idle
        attempt = 0
        isReconnectingFast = false
        backoff.reset()
        return isFinishing ? [.finish] : []
    }

    /// Sends DISCONNECT and closes the Engine.IO connection, so that the server need not wait for a timeout.
    mutating func sendDisconnect() -> [ConnectionEffect] {
        leave(with: frames(of: SocketPacket(type: .disconnect, namespace: namespace)))
    }

    /// Sends the last packets and closes the Engine.IO connection.
    mutating func leave(with packets: [EnginePacket] = []) -> [ConnectionEffect] {
        phase = .leaving(isConnectingAgain: false)
        return giveUpUpgrade() + [
            .send(packets + [.close]), .close,
            .startDeadline(.closing, life: life, after: Self.closingTimeout),
        ]
    }

    private mutating func handle(_ deadline: ConnectionDeadline) -> [ConnectionEffect] {
        switch (deadline, phase) {
        case (.connect, .opening(let isRequested)): return overrun(isRequested ? .answer : .connection)
        case (.connect, .handshaking): return overrun(.handshake)
        case (.connect, .joining): return overrun(.namespace)
        case (.heartbeat, .joining), (.heartbeat, .connected):
            // A ping only moves `heartbeatDue`; the deadline itself is restarted here if it is too early.
            guard now >= heartbeatDue else {
                return [.startDeadline(.heartbeat, life: life, after: heartbeatDue - now)]
            }
            return end(.pingTimeout, .silent(heartbeatPeriod))
        case (.signOfLife, .connected): return missSign()
        case (.upgrade, _): return giveUpUpgrade()
        case (.retry, .waiting): return open()
        case (.closing, .leaving): return completeLeaving()
        case (.connect, _), (.heartbeat, _), (.signOfLife, _), (.retry, _), (.closing, _):
            return []
        }
    }

    /// Ends the attempt, unless its time limit was extended in the meantime.
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
            isReconnectingFast =
                isReconnectingFast && failure.isSilent
                && now - (fastReconnectionStart ?? now) < Self.maximumFastReconnection
            isLastFailureSilent = failure.isSilent
            let wait = wait()
            upgrade = .none
            return [.abandon, .report(.connectFailed(failure, retryIn: wait))] + [retry(after: wait)]
        case .connected:
            attempt = 0
            upgrade = .none
            isLastFailureSilent = failure.isSilent
            if now - joinTime >= Self.steadyTime { backoff.reset() }
            if allowsFastReconnection(failure) { return loseSilently(reason, failure) }
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
        isReconnectingFast ? Self.fastReconnectionDelay : backoff.next(random: random())
    }

    private mutating func retry(after wait: Duration) -> ConnectionEffect {
        phase = .waiting
        return .startDeadline(.retry, life: life, after: wait)
    }

    /// Sends an event, or buffers it until there is a connection.
    ///
    /// - Throws: `SocketError.tooManyAttachments`, `.tooLarge` or `.bufferFull`.
    mutating func emit(
        _ name: String,
        _ arguments: [JSON],
        ackID: Int? = nil
    ) throws(SocketError) -> [ConnectionEffect] {
        let packet = SocketPacket.event(name, arguments, namespace: namespace, ackID: ackID)
        let frames = frames(of: packet)
        guard frames.count - 1 <= SocketDecoder.maximumAttachments else { throw .tooManyAttachments }
        if let (bytes, limit) = excess(of: frames) { throw .tooLarge(bytes: bytes, limit: limit) }
        if phase == .connected { return send(frames) }
        guard outgoing.count < bufferLimit, !isFinishing else { throw .bufferFull }
        outgoing.append(packet)
        return []
    }

    /// Sends the buffered events, and reports those that exceed the server's limit as undeliverable.
    mutating func flush() -> [ConnectionEffect] {
        var reports: [ConnectionEffect] = []
        var flushed: [EnginePacket] = []
        for packet in outgoing {
            let frames = frames(of: packet)
            if let (bytes, limit) = excess(of: frames) {
                let name = packet.eventName ?? ""
                reports.append(.report(.undeliverable(name: name, bytes: bytes, limit: limit)))
            } else {
                flushed += frames
            }
        }
        outgoing = []
        return reports + send(flushed)
    }

    /// Returns the size of the largest frame and the server's limit; nil if the limit is not exceeded.
    private func excess(of frames: [EnginePacket]) -> (bytes: Int, limit: Int)? {
        let largest = frames.map { frame in
            switch frame {
            case .binary(let bytes): bytes.count
            default: frame.text.utf8.count
            }
        }.max()
        guard let serverLimit, let largest, largest > serverLimit else { return nil }
        return (largest, serverLimit)
    }

    /// Acknowledges an event; does nothing if its session has ended.
    mutating func acknowledge(_ id: Int, _ arguments: [JSON], life: Int) -> [ConnectionEffect] {
        guard phase == .connected, life == self.life else { return [] }
        let frames = frames(of: SocketPacket.ack(id, arguments, namespace: namespace))
        guard frames.count - 1 <= SocketDecoder.maximumAttachments else { return [] }
        return send(frames)
    }

    /// Drops the buffered event with this acknowledgement id, because its sender no longer waits.
    mutating func withdraw(ackID: Int) { outgoing.removeAll { $0.ackID == ackID } }

    /// The acknowledgement ids of the buffered events.
    var waitingAcks: Set<Int> { Set(outgoing.compactMap(\.ackID)) }

    /// Encodes a packet as Engine.IO packets: its text, then its attachments.
    func frames(of packet: SocketPacket) -> [EnginePacket] {
        let frames = SocketEncoder.encode(packet)
        return [.message(frames.text)] + frames.attachments.map(EnginePacket.binary)
    }
}

/// The handling of silent servers and of changes of this host's network.
extension ConnectionStateMachine {
    /// The time limit for the server's answer to a liveness check.
    private static let signLimit: Duration = .seconds(2)
    /// The time limit for opening a connection during a fast reconnection, which follows a silent loss.
    ///
    /// With this limit and `fastReconnectionDelay`, the wait between two attempts, a connection is restored
    /// soon after a network outage.
    static let fastConnectTimeout: Duration = .seconds(2)
    static let fastReconnectionDelay: Duration = .milliseconds(500)
    /// The maximum duration of a fast reconnection; after it, the backoff applies.
    static let maximumFastReconnection: Duration = .seconds(60)
    /// The minimum age of a stable connection, and the minimum time between two fast reconnections.
    static let steadyTime: Duration = .seconds(2)
    /// The minimum time between attempts that are caused by network changes; such changes occur in bursts.
    private static let betweenChances: Duration = .milliseconds(250)

    /// The time at which the attempt times out.
    var connectDue: Duration { attemptStart + connectLimit }

    /// Extends the time limit of the attempt after a host has accepted the connection, because the network
    /// works.
    mutating func reach() -> [ConnectionEffect] {
        connectLimit = connectTimeout
        return []
    }

    /// Checks that the server still responds; any message from the server counts as a response.
    mutating func doubt() -> [ConnectionEffect] {
        guard phase == .connected, isOverWebSocket, !isSignAwaited else { return [] }
        isSignAwaited = true
        signDue = now + Self.signLimit
        return [.ping, .startDeadline(.signOfLife, life: life, after: Self.signLimit)]
    }

    /// Whether the session uses WebSocket; over polling, a server need not answer any message immediately.
    private var isOverWebSocket: Bool { upgrade == .done || transport == .websocket }

    mutating func missSign() -> [ConnectionEffect] {
        // The deadline may belong to an earlier liveness check that was answered.
        guard isSignAwaited, now >= signDue else { return [] }
        return end(.pingTimeout, .silent(Self.signLimit))
    }

    /// Reacts to a change of this host's network: reconnects, or checks that the server still responds.
    mutating func changeNetwork(lostAddress: String?) -> [ConnectionEffect] {
        switch (phase, lostAddress) {
        case (.waiting, _):
            isLastFailureSilent && now - attemptStart >= Self.betweenChances ? open() : []
        case (.connected, let address?): end(.transportClose, .addressLost(address))
        case (.connected, nil): doubt()
        case (.opening, _?), (.handshaking, _?), (.joining, _?): [.abandon] + beginAttempt()
        case (.opening, nil), (.handshaking, nil), (.joining, nil), (.idle, _), (.leaving, _): []
        }
    }

    /// Returns whether the next attempt may start immediately.
    func allowsFastReconnection(_ failure: SocketFailure) -> Bool {
        if case .addressLost = failure { return true }
        return failure.isSilent && fastReconnectionStart.map { now - $0 >= Self.steadyTime } ?? true
    }

    /// Handles a loss of the connection that the server did not announce: the next attempt starts immediately.
    mutating func loseSilently(_ reason: DisconnectReason, _ failure: SocketFailure) -> [ConnectionEffect] {
        isReconnectingFast = true
        fastReconnectionStart = now
        return [
            .abandon, .failAcks(except: waitingAcks), .report(.disconnected(reason, failure, retryIn: .zero)),
        ] + open()
    }
}
