internal import NIOCore

/// A pending check of whether a client is still connected; another client's join waits for the result.
struct LifeCheck {
    /// The deadline of the client's answer.
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

    /// Determines whether a checked client may go on: a waiting GET counts as an answer like a pong.
    func serveLifeCheck(_ now: NIODeadline) -> Bool {
        guard let check = lifeCheck, check.time <= now else { return true }
        guard (transport as? PollingTransport)?.isPolled ?? false else { return false }
        endLifeCheck(isAlive: true)
        return true
    }
}
