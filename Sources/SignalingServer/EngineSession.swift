internal import NIOCore
internal import SocketIO

/// An Engine.IO 4 session: the handshake, the heartbeat and the end, whatever carries the packets.
final class EngineSession {
    /// The session's id: a credential, not to be logged.
    let id = SessionID.random()
    private let configuration: ServerConfiguration
    let eventLoop: any EventLoop
    /// What the client's address may still send; nil where nothing limits it.
    private let allowance: AddressAllowance?
    private weak var transport: (any EngineTransport)?
    private var delegate: (any EngineSessionDelegate)?
    private var heartbeat: Heartbeat

    /// What the session's one timer waits for.
    ///
    /// A pong moves the next ping but leaves the timer alone, which looks again when it fires:
    /// cancelling one among the timers of tens of thousands of sessions would cost too much.
    private struct Heartbeat {
        var isPongAwaited = false
        var pingTime: NIODeadline
        var timerTime: NIODeadline
    }

    init(_ configuration: ServerConfiguration, eventLoop: any EventLoop, allowance: AddressAllowance?) {
        self.configuration = configuration
        self.allowance = allowance
        self.eventLoop = eventLoop
        let pingTime = NIODeadline.now() + TimeAmount(configuration.pingInterval)
        heartbeat = Heartbeat(pingTime: pingTime, timerTime: pingTime)
    }

    private var isClosed: Bool { delegate == nil }

    /// Sends the handshake and passes messages on to `delegate` from now on.
    func open(on transport: any EngineTransport, for delegate: any EngineSessionDelegate) {
        self.transport = transport
        self.delegate = delegate
        let handshake = EngineHandshake(
            sid: id,
            upgrades: [],
            pingInterval: configuration.pingInterval.milliseconds,
            pingTimeout: configuration.pingTimeout.milliseconds,
            maxPayload: configuration.maximumPayload
        )
        transport.send([.open(handshake)])
        startTimer(at: heartbeat.pingTime)
    }

    /// Sends packets, in their order; dropped once the session is closed.
    func send(_ packets: [EnginePacket]) { transport?.send(packets) }

    /// Takes a packet that arrived; one that a client may not send ends the session.
    func receive(_ packet: EnginePacket) {
        if let allowance, !allowance.takeMessage(at: .now()) {
            delegate?.sessionDidFlood()
            return close(.forcedServerClose)
        }
        switch packet {
        case .message(let text): delegate?.session(didReceive: text)
        case .binary(let bytes): delegate?.session(didReceive: bytes)
        case .pong: receivePong()
        case .close: close(.clientClose)
        // The heartbeat goes from the server to the client; the other direction was version 3.
        case .ping: close(.transportError)
        case .open, .upgrade, .noop: close(.parseError)
        }
    }

    /// Ends the session and its transport.
    func close(_ reason: DisconnectReason) {
        guard !isClosed else { return }
        let transport = transport
        // First, as closing the transport may report its end, and that would be taken for the reason.
        transportDidClose(reason)
        transport?.close(reason)
    }

    /// Ends the session whose transport is gone, or going by itself.
    func transportDidClose(_ reason: DisconnectReason) {
        guard let delegate else { return }
        self.delegate = nil
        transport = nil
        delegate.sessionDidClose(reason)
    }

    private func receivePong() {
        heartbeat.isPongAwaited = false
        heartbeat.pingTime = .now() + TimeAmount(configuration.pingInterval)
        if heartbeat.pingTime < heartbeat.timerTime { startTimer(at: heartbeat.pingTime) }
    }

    private func startTimer(at time: NIODeadline) {
        heartbeat.timerTime = time
        eventLoop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in self?.timerFired(time) }
    }

    private func timerFired(_ time: NIODeadline) {
        guard !isClosed, time == heartbeat.timerTime else { return }
        if heartbeat.isPongAwaited {
            close(.pingTimeout)
        } else if time < heartbeat.pingTime {
            startTimer(at: heartbeat.pingTime)
        } else {
            heartbeat.isPongAwaited = true
            startTimer(at: .now() + TimeAmount(configuration.pingTimeout))
            send([.ping("")])
        }
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int { Int(self / .milliseconds(1)) }
}
