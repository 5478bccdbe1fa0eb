internal import NIOCore

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
