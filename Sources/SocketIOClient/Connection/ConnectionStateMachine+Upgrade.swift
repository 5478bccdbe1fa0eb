internal import SocketIO

/// How far the change from polling to WebSocket has come.
enum Upgrade: Hashable, Sendable {
    /// Not offered, not wanted, or it failed, which ends nothing.
    case none
    /// The WebSocket opens, and must answer the probe.
    case probing
    /// The probe is answered: polling finishes what runs, and what is sent is held.
    case draining
    /// The WebSocket carries the session.
    case done
}

extension ConnectionStateMachine {
    /// The time that servers allow for an upgrade.
    private static let upgradeLimit: Duration = .seconds(10)
    private static let probe = "probe"

    /// Whether a WebSocket ended in a way in which polling may do better: refused, or broken, by a server
    /// or a proxy that does not know it.
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
        // python-engineio sends one on the WebSocket too.
        case (_, .packet(.noop)), (_, .reached), (_, .requested), (_, .pong), (_, .paused), (.none, _),
            (.draining, .opened):
            return []
        case (.probing, .packet), (.draining, .packet), (.probing, .ended), (.draining, .ended):
            return giveUpUpgrade()
        }
    }

    /// Polling is silent: the WebSocket carries the session from here on.
    mutating func switchOver() -> [ConnectionEffect] {
        guard upgrade == .draining else { return [] }
        upgrade = .done
        defer { held = [] }
        return [.switchToProbe, .send([.upgrade] + held)]
            + (phase == .connected ? [.report(.upgraded)] : [])
    }

    /// Stays with polling; does nothing where no upgrade is under way.
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

    /// Sends packets, or holds them until polling has given way.
    mutating func send(_ packets: [EnginePacket]) -> [ConnectionEffect] {
        guard upgrade == .draining else { return packets.isEmpty ? [] : [.send(packets)] }
        held += packets
        return []
    }
}
