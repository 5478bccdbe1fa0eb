internal import NIOCore

/// A WebSocket on which a client that polls tries whether it could go on there.
struct EngineProbe {
    let transport: WebSocketTransport
    /// When the attempt is given up.
    let limit: NIODeadline
    /// When a waiting poll is to be answered, so that the client can stop polling; nil before the probe.
    var noopTime: NIODeadline?

    /// When something is to be done next.
    var time: NIODeadline { min(limit, noopTime ?? limit) }
}

extension EngineSession {
    private static let noopInterval = TimeAmount.milliseconds(100)

    /// Whether the client may try a WebSocket.
    var canUpgrade: Bool { !isClosed && probe == nil && transport?.kind == .polling }

    /// Listens for the probe on a WebSocket while polling goes on.
    func startProbe(on transport: WebSocketTransport) {
        let limit = engine.eventLoop.now + TimeAmount(engine.configuration.upgradeTimeout)
        probe = EngineProbe(transport: transport, limit: limit)
        setTimer()
    }

    /// Takes a packet from a WebSocket that is tried; anything unexpected ends only that.
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
        // A pong on its way by a poll that is given up shall not be missed.
        if heartbeat.isPongAwaited {
            heartbeat = Heartbeat(time: engine.eventLoop.now + TimeAmount(engine.configuration.pingInterval))
        }
        for message in polling?.discard() ?? [] { socket.send(message) }
        setTimer()
    }

    /// Does what is due while a WebSocket is tried.
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
