internal import NIOCore
internal import SocketIO

/// An Engine.IO 4 session: the handshake, heartbeat and close on any transport.
final class EngineSession {
    /// The time for which the last packets are kept for a polling client.
    private static let lingerTime = TimeAmount.seconds(30)

    /// The session's id: a credential, not to be logged.
    let id = SessionID.random()
    let engine: EngineServer
    var transport: (any EngineTransport)?
    var probe: EngineProbe?
    var heartbeat: Heartbeat
    var wheelSeat = TimerWheelSeat()
    /// The client's remaining allowance; nil if it is not limited.
    private(set) var allowance: SessionAllowance?
    private var delegate: (any EngineSessionDelegate)?
    /// The pending liveness check, if any.
    var lifeCheck: LifeCheck?
    /// The time at which a client that has joined nothing is disconnected.
    private var joinTime: NIODeadline?
    private var removalTime: NIODeadline?
    /// The transport under which the session is counted.
    var countedTransport: SessionTransport

    struct Heartbeat {
        var isPongAwaited = false
        /// The time of the next ping, or the deadline of the pong.
        var time: NIODeadline
    }

    init(_ engine: EngineServer, _ kind: TransportKind, allowance: AddressAllowance?) {
        self.engine = engine
        self.allowance = allowance?.session(at: engine.eventLoop.now)
        countedTransport = SessionTransport(kind)
        heartbeat = Heartbeat(time: engine.eventLoop.now + TimeAmount(engine.configuration.pingInterval))
    }

    var isClosed: Bool { delegate == nil }

    /// Sends the handshake and passes messages on to `delegate` from now on.
    ///
    /// `didJoin()` must be called within `joinTimeout`, which is nil if there is nothing to join.
    func open(
        on transport: any EngineTransport,
        for delegate: any EngineSessionDelegate,
        joinTimeout: Duration?
    ) {
        self.transport = transport
        self.delegate = delegate
        joinTime = joinTimeout.map { engine.eventLoop.now + TimeAmount($0) }
        let configuration = engine.configuration
        let handshake = EngineHandshake(
            sid: id.text,
            upgrades: transport.kind == .polling ? [TransportKind.websocket.rawValue] : [],
            pingInterval: configuration.pingInterval.milliseconds,
            pingTimeout: configuration.pingTimeout.milliseconds,
            maxPayload: configuration.maximumPayload
        )
        send(FramedMessage(.open(handshake)))
        setTimer()
    }

    /// Ends the join timeout.
    func didJoin() { joinTime = nil }

    /// Sends a packet, unless the session is closed.
    func send(_ message: FramedMessage) {
        if !isClosed { transport?.send(message) }
    }

    /// Handles a packet; false if it is malformed, not permitted or beyond the limits.
    ///
    /// Such a packet ends the session.
    @discardableResult
    func receive(_ message: FramedMessage, from source: any EngineTransport) -> Bool {
        guard isFree(message, from: source) || takeFrame() else { return false }
        guard source === transport else {
            receiveProbe(message, from: source)
            return true
        }
        guard let delegate else { return true }
        guard message.isText else {
            delegate.session(didReceive: message)
            return true
        }
        switch message.payload.readableBytesView.first {
        case UInt8(ascii: "4"): delegate.session(didReceive: message)
        case UInt8(ascii: "3"): receivePong()
        case UInt8(ascii: "1"): close(.clientClose)
        // Only the server sends pings; those of clients belong to Engine.IO 3.
        case UInt8(ascii: "2"):
            close(.transportError)
            return false
        default:
            close(.parseError)
            return false
        }
        return true
    }

    /// Counts a received message; one beyond the limit ends the session, and the result is false.
    @discardableResult
    func takeFrame() -> Bool {
        guard allowance?.takeMessage(at: engine.eventLoop.now) ?? true else {
            engine.countFlood()
            close(.forcedServerClose)
            return false
        }
        return true
    }

    /// Counts received bytes; too many end the session, and the result is false.
    func takeBytes(_ count: Int) -> Bool {
        guard allowance?.takeBytes(count, at: engine.eventLoop.now) ?? true else {
            engine.countFlood(.bytes)
            close(.forcedServerClose)
            return false
        }
        return true
    }

    /// Determines whether a packet is exempt from the limits: a close packet, or the awaited pong.
    private func isFree(_ message: FramedMessage, from source: any EngineTransport) -> Bool {
        guard source === transport, message.isText else { return false }
        switch message.payload.readableBytesView.first {
        case UInt8(ascii: "1"): return true
        case UInt8(ascii: "3"): return heartbeat.isPongAwaited
        default: return false
        }
    }

    /// Ends the session and its transport.
    func close(_ reason: DisconnectReason) {
        guard let delegate else { return }
        self.delegate = nil
        probe?.transport.closeProbe()
        probe = nil
        transport?.close(reason)
        if reason.isAnnouncedToPolling, let polling = transport as? PollingTransport, polling.isHolding {
            removalTime = engine.eventLoop.now + Self.lingerTime
            setTimer()
        } else {
            remove()
        }
        delegate.sessionDidClose(reason)
        endLifeCheck(isAlive: false)
    }

    /// Handles the end of one of the session's connections.
    func transportDidClose(_ source: any EngineTransport, _ reason: DisconnectReason) {
        guard source === transport else {
            if probe?.transport === source { probe = nil }
            return
        }
        transport = nil
        if isClosed { remove() } else { close(reason) }
    }

    /// Removes the session, whose id is unknown from now on.
    func remove() {
        engine.wheel.cancel(self)
        engine.remove(self)
        (transport as? PollingTransport)?.end()
        transport = nil
    }

    private func receivePong() {
        heartbeat = Heartbeat(time: engine.eventLoop.now + TimeAmount(engine.configuration.pingInterval))
        setTimer()
        endLifeCheck(isAlive: true)
    }
}

extension EngineSession: TimerWheelEntry {
    /// Sets the wheel's timer to the next of the session's times.
    func setTimer() {
        if let removalTime { return engine.wheel.set(self, to: removalTime) }
        guard !isClosed else { return }
        let times = (joinTime ?? .distantFuture, probe?.time ?? .distantFuture)
        let checkTime = lifeCheck?.time ?? .distantFuture
        engine.wheel.set(self, to: min(heartbeat.time, times.0, times.1, checkTime))
    }

    func timeIsUp(_ now: NIODeadline) {
        if removalTime != nil { return remove() }
        if let joinTime, joinTime <= now { return close(.forcedServerClose) }
        guard serveLifeCheck(now) else { return close(.pingTimeout) }
        serveProbe(now)
        if heartbeat.time <= now {
            if heartbeat.isPongAwaited { return close(.pingTimeout) }
            // Counted from when it was due, so that the wheel's delays do not add up.
            let start = max(heartbeat.time, now - .milliseconds(100))
            heartbeat = Heartbeat(
                isPongAwaited: true,
                time: start + TimeAmount(engine.configuration.pingTimeout)
            )
            transport?.sendPing()
        }
        setTimer()
    }

    /// Ends the session if its pong is overdue and the wheel has not served it yet.
    func checkTime() {
        let now = engine.eventLoop.now
        if heartbeat.isPongAwaited, heartbeat.time <= now { timeIsUp(now) }
    }
}

extension Duration {
    /// The whole milliseconds.
    var milliseconds: Int { Int(self / .milliseconds(1)) }
}

/// A pending check of whether a client is still connected; another client's join waits for the result.
struct LifeCheck {
    /// The deadline of the client's response.
    let time: NIODeadline
    var waiting: [(_ isAlive: Bool) -> Void]
}

extension EngineSession {
    private static let lifeCheckTimeout = TimeAmount.seconds(1)

    /// Pings the client at once and reports whether it is alive; if it is not, the session has ended by then.
    func checkLife(_ done: @escaping (_ isAlive: Bool) -> Void) {
        guard !isClosed else { return done(false) }
        guard lifeCheck == nil else {
            lifeCheck?.waiting.append(done)
            return
        }
        let now = engine.eventLoop.now
        lifeCheck = LifeCheck(time: now + Self.lifeCheckTimeout, waiting: [done])
        if !heartbeat.isPongAwaited {
            let limit = now + TimeAmount(engine.configuration.pingTimeout)
            heartbeat = Heartbeat(isPongAwaited: true, time: limit)
        }
        transport?.sendPing()
        setTimer()
    }

    func endLifeCheck(isAlive: Bool) {
        guard let check = lifeCheck else { return }
        lifeCheck = nil
        for done in check.waiting { done(isAlive) }
    }

    /// Determines whether a checked client has responded: a waiting GET counts as much as a pong.
    func serveLifeCheck(_ now: NIODeadline) -> Bool {
        guard let check = lifeCheck, check.time <= now else { return true }
        guard (transport as? PollingTransport)?.isPolled ?? false else { return false }
        endLifeCheck(isAlive: true)
        return true
    }
}

/// A WebSocket on which a polling client probes whether it can upgrade.
struct EngineProbe {
    let transport: WebSocketTransport
    /// The time at which the probe is given up.
    let limit: NIODeadline
    /// The time at which a waiting poll is answered, so that the client can stop polling; nil before the
    /// probe.
    var noopTime: NIODeadline?

    /// The time of the next action.
    var time: NIODeadline { min(limit, noopTime ?? limit) }
}

extension EngineSession {
    private static let noopInterval = TimeAmount.milliseconds(100)

    /// Whether the client may probe a WebSocket.
    var canUpgrade: Bool { !isClosed && probe == nil && transport?.kind == .polling }

    /// Waits for the probe on a WebSocket while polling continues.
    func startProbe(on transport: WebSocketTransport) {
        let limit = engine.eventLoop.now + TimeAmount(engine.configuration.upgradeTimeout)
        probe = EngineProbe(transport: transport, limit: limit)
        setTimer()
    }

    /// Handles a packet from a probed WebSocket; an unexpected one ends only the probe.
    func receiveProbe(_ message: FramedMessage, from source: any EngineTransport) {
        guard let current = probe, current.transport === source else { return }
        if message.isText("2probe") {
            current.transport.send(.probePong)
            probe?.noopTime = engine.eventLoop.now + Self.noopInterval
            setTimer()
        } else if message.isText("5") {
            upgrade(to: current.transport)
        } else {
            probe = nil
            current.transport.closeProbe()
        }
    }

    private func upgrade(to socket: WebSocketTransport) {
        let polling = transport as? PollingTransport
        probe = nil
        transport = socket
        countedTransport = .websocket
        engine.metrics.sessionUpgraded()
        // The pong may be lost with an abandoned poll, so it is not awaited any more.
        if heartbeat.isPongAwaited {
            heartbeat = Heartbeat(time: engine.eventLoop.now + TimeAmount(engine.configuration.pingInterval))
        }
        for message in polling?.discard() ?? [] { socket.send(message) }
        setTimer()
    }

    /// Performs the due actions of a probe.
    func serveProbe(_ now: NIODeadline) {
        guard let current = probe else { return }
        if current.limit <= now {
            probe = nil
            current.transport.closeProbe()
        } else if let noopTime = current.noopTime, noopTime <= now {
            (transport as? PollingTransport)?.answerNoop()
            probe?.noopTime = now + Self.noopInterval
        }
    }
}
