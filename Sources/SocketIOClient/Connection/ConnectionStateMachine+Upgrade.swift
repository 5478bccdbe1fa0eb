internal import SocketIO

/// The progress of the upgrade from polling to WebSocket.
enum Upgrade: Hashable, Sendable {
    /// No upgrade: not offered, not wanted, or failed; the session continues on its transport.
    case none
    /// The WebSocket is opening, or has not answered the probe.
    case probing
    /// The probe is answered; polling finishes its requests, and outgoing packets are held.
    case draining
    /// The WebSocket carries the session.
    case done
}

extension ConnectionStateMachine {
    /// The time that servers allow for an upgrade.
    private static let upgradeLimit: Duration = .seconds(10)
    private static let probe = "probe"

    /// Decides whether to fall back to polling, after a server or proxy has refused or broken the WebSocket.
    func isAnsweredByPolling(_ end: TransportEnd) -> Bool {
        guard transports.fallsBack, transport == .websocket, !end.refusesClient else { return false }
        return switch (phase, end.failure) {
        case (.opening, .notEngineIO), (.handshaking, .closed), (.handshaking, .broken): true
        default: false
        }
    }

    mutating func beginUpgrade(after handshake: EngineHandshake) -> [ConnectionEffect] {
        guard transports.upgrades, transport == .polling,
            handshake.upgrades.contains(TransportName.websocket.rawValue)
        else { return [] }
        upgrade = .probing
        return [
            .openProbe(sid: handshake.sid), .startDeadline(.upgrade, life: life, after: Self.upgradeLimit),
        ]
    }

    mutating func handleProbe(_ event: TransportEvent) -> [ConnectionEffect] {
        switch (upgrade, event) {
        case (.done, _): return handle(event)
        case (.probing, .opened): return [.sendOnProbe([.ping(Self.probe)])]
        case (.probing, .packet(.pong(Self.probe))):
            upgrade = .draining
            return [.pausePolling]
        // python-engineio also sends a noop on the WebSocket.
        case (_, .packet(.noop)), (_, .reached), (_, .requested), (_, .pong), (_, .paused), (.none, _),
            (.draining, .opened):
            return []
        case (.probing, .packet), (.draining, .packet), (.probing, .ended), (.draining, .ended):
            return giveUpUpgrade()
        }
    }

    /// Completes the upgrade once polling is paused: the WebSocket carries the session from now on.
    mutating func switchOver() -> [ConnectionEffect] {
        guard upgrade == .draining else { return [] }
        upgrade = .done
        defer { held = [] }
        return [.switchToProbe, .send([.upgrade] + held)]
            + (phase == .connected ? [.report(.upgraded)] : [])
    }

    /// Gives up the upgrade and stays with polling; does nothing if none is in progress.
    mutating func giveUpUpgrade() -> [ConnectionEffect] {
        switch upgrade {
        case .none, .done: return []
        case .probing:
            upgrade = .none
            return [.dropProbe]
        case .draining:
            upgrade = .none
            defer { held = [] }
            return [.dropProbe, .resumePolling] + send(held)
        }
    }

    /// Sends packets, or holds them during the switch from polling to WebSocket.
    mutating func send(_ packets: [EnginePacket]) -> [ConnectionEffect] {
        guard upgrade == .draining else { return packets.isEmpty ? [] : [.send(packets)] }
        held += packets
        return []
    }
}
