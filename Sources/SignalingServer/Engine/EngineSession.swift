internal import FrontParsers
internal import HTTPFront
internal import NIOCore
internal import SocketIO

/// An Engine.IO 4 session, which handles the handshake, the heartbeat and closing on any transport.
final class EngineSession {
    /// The time after the end of a session for which its last packets are stored for a polling client.
    private static let lingerTime = TimeAmount.seconds(30)
    /// The number of additional bytes that each byte of decoded text counts toward the rate limit.
    private static let decodingCost = 10

    /// The session's id, which is a credential and must not be logged.
    let id = SessionID.random()
    let engine: EngineServer
    var transport: (any EngineTransport)?
    var probe: EngineProbe?
    var heartbeat: Heartbeat
    var wheelSeat = TimerWheelSeat()
    /// The session's remaining rate-limit allowance; nil if the client is not limited.
    private(set) var allowance: SessionAllowance?
    private var delegate: (any EngineSessionDelegate)?
    /// The pending liveness check, if any.
    var lifeCheck: LifeCheck?
    /// The time at which the client is disconnected unless it has joined, or at which a closed session is removed.
    private var limit = NIODeadline.distantFuture
    /// The transport under which the metrics count the session.
    var countedTransport: SessionTransport

    struct Heartbeat {
        var isPongAwaited = false
        /// The time of the next ping or, while a pong is awaited, the pong's deadline.
        var time: NIODeadline
    }

    init(_ engine: EngineServer, _ kind: TransportKind, allowance: AddressAllowance?) {
        self.engine = engine
        self.allowance = allowance?.session()
        countedTransport = SessionTransport(kind)
        heartbeat = Heartbeat(time: engine.eventLoop.now + TimeAmount(engine.configuration.pingInterval))
    }

    var isClosed: Bool { delegate == nil }

    /// Sends the handshake, and passes received messages to `delegate` from now on.
    ///
    /// `didJoin()` must be called within `joinTimeout`; nil stands for no limit.
    func open(
        on transport: any EngineTransport,
        for delegate: any EngineSessionDelegate,
        joinTimeout: Duration?
    ) {
        self.transport = transport
        self.delegate = delegate
        limit = joinTimeout.map { engine.eventLoop.now + TimeAmount($0) } ?? .distantFuture
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
    func didJoin() { limit = .distantFuture }

    /// Sends a packet, unless the session is closed.
    func send(_ message: FramedMessage) {
        if !isClosed { transport?.send(message) }
    }

    /// Handles a packet; false if the packet is malformed, not permitted or beyond the rate limits.
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

    /// Counts a received message; if it exceeds the rate limit, ends the session and returns false.
    @discardableResult
    func takeFrame() -> Bool {
        guard allowance?.takeMessage(at: engine.eventLoop.now) ?? true else {
            engine.front.countFlood()
            close(.forcedServerClose)
            return false
        }
        return true
    }

    /// Counts received bytes; if they exceed the rate limit, ends the session and returns false.
    func takeBytes(_ count: Int) -> Bool {
        guard allowance?.takeBytes(count, at: engine.eventLoop.now) ?? true else {
            engine.front.countFlood(.bytes)
            close(.forcedServerClose)
            return false
        }
        return true
    }

    /// Counts additional bytes for text that has to be decoded, because decoding costs far more than relaying; if they
    /// exceed the rate limit, ends the session and returns false.
    func takeDecoding(_ count: Int) -> Bool { takeBytes(count * Self.decodingCost) }

    /// Determines whether a packet is exempt from the rate limits: a close packet, or an awaited pong.
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
            limit = engine.eventLoop.now + Self.lingerTime
            engine.wheel.set(self, to: limit)
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

    /// Removes the session, so that its id is not valid any more.
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
    /// Sets the session's timer to the next of its due times.
    func setTimer() {
        // The time at which a closed session is removed does not change any more.
        guard !isClosed else { return }
        let (probeTime, checkTime) = (probe?.time ?? .distantFuture, lifeCheck?.time ?? .distantFuture)
        engine.wheel.set(self, to: min(heartbeat.time, limit, probeTime, checkTime))
    }

    func timeIsUp(_ now: NIODeadline) {
        if isClosed { return remove() }
        if limit <= now { return close(.forcedServerClose) }
        guard serveLifeCheck(now) else { return close(.pingTimeout) }
        serveProbe(now)
        if heartbeat.time <= now {
            if heartbeat.isPongAwaited { return close(.pingTimeout) }
            // The deadline is relative to the time when the ping was due, so that delays of timers do not add
            // up.
            let start = max(heartbeat.time, now - .milliseconds(100))
            heartbeat = Heartbeat(
                isPongAwaited: true,
                time: start + TimeAmount(engine.configuration.pingTimeout)
            )
            transport?.sendPing()
        }
        setTimer()
    }

    /// Ends the session if its pong is overdue but its timer has not fired yet.
    func checkTime() {
        let now = engine.eventLoop.now
        if heartbeat.isPongAwaited, heartbeat.time <= now { timeIsUp(now) }
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded toward zero.
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

    /// Pings the client immediately, and reports whether it responds in time; if it does not, the session is closed
    /// first.
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

    /// Handles the timeout of a liveness check, if one is due; false if the client is not alive.
    ///
    /// Without a pong, a polling client is alive if one of its GETs is waiting.
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
    /// The time at which the server closes the WebSocket if the client has not upgraded.
    let limit: NIODeadline
    /// The next time to answer a waiting GET with a noop packet, so that the client can stop polling; nil
    /// before the client has sent its probe packet.
    var noopTime: NIODeadline?

    /// The time of the next action.
    var time: NIODeadline { min(limit, noopTime ?? limit) }
}

extension EngineSession {
    private static let noopInterval = TimeAmount.milliseconds(100)

    /// Whether the client may start an upgrade to WebSocket.
    var canUpgrade: Bool { !isClosed && probe == nil && transport?.kind == .polling }

    /// Waits for a client's probe packet on a WebSocket, while polling continues.
    func startProbe(on transport: WebSocketTransport) {
        let limit = engine.eventLoop.now + TimeAmount(engine.configuration.upgradeTimeout)
        probe = EngineProbe(transport: transport, limit: limit)
        setTimer()
    }

    /// Handles a packet from a WebSocket that is being probed; an unexpected packet ends the probe, not the
    /// session.
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
        // The ping or pong may be lost with an aborted polling request, so the pong is not awaited any more.
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
