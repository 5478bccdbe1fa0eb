internal import NIOCore

/// A question whether a client is still there, which somebody else's fate hangs on.
struct LifeCheck {
    /// When the answer has to be there.
    let time: NIODeadline
    var waiting: [(_ isAlive: Bool) -> Void]
}

extension EngineSession {
    private static let lifeCheckTimeout = TimeAmount.seconds(1)

    /// Pings the client at once, and tells whether it is still there; where it is not, the session has ended by then.
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

    /// Whether a client that was asked may go on: a GET that waits answers as well as a pong.
    func serveLifeCheck(_ now: NIODeadline) -> Bool {
        guard let check = lifeCheck, check.time <= now else { return true }
        guard (transport as? PollingTransport)?.isPolled ?? false else { return false }
        endLifeCheck(isAlive: true)
        return true
    }
}
