internal import Basics
internal import CallCore
internal import Synchronization

/// A seeded random plan of faults that affect a caller and a callee.
package final class FaultPlan: Sendable {
    /// One of the two peers, with its username in the room and its name in the fake network.
    package struct Victim: Sendable {
        let username: String
        let media: String

        package init(username: String, media: String) {
            self.username = username
            self.media = media
        }
    }

    /// Whether the server sends no list of the participants when a participant joins.
    package let isSilent: Bool
    package let wire: Wire
    package let network: FakeNetwork
    private let victims: [Victim]
    private let random: Mutex<SeededGenerator>

    package init(seed: UInt64, network: FakeNetwork, victims: [Victim]) {
        var random = SeededGenerator(seed: seed)
        var faults = Wire.Faults()
        faults.loss = Double.random(in: 0...0.3, using: &random)
        faults.duplication = Double.random(in: 0...0.3, using: &random)
        faults.reordering = Double.random(in: 0...0.3, using: &random)
        faults.lateness = Double.random(in: 0...0.3, using: &random)
        faults.garbling = max(0, Double.random(in: -0.1...0.1, using: &random))
        faults.seed = seed
        isSilent = Bool.random(using: &random)
        wire = Wire(
            faults: faults,
            sendsRoomState: !isSilent,
            announcesReturns: Bool.random(using: &random)
        )
        self.network = network
        self.victims = victims
        self.random = Mutex(random)
    }

    package func number(in range: ClosedRange<Int>) -> Int {
        random.withLock { Int.random(in: range, using: &$0) }
    }

    package func isTrue() -> Bool { number(in: 0...1) == 1 }

    /// Returns a function that creates the script of a session by its number; the session may fail if `lasts`
    /// returns true for the number.
    package func script(while lasts: @escaping @Sendable (Int) -> Bool) -> @Sendable (Int) -> FakeMedia.Script
    {
        let seed = random.withLock { $0.next() }
        return { number in
            var random = SeededGenerator(seed: seed &+ UInt64(number))
            var script = FakeMedia.Script()
            script.delay = .milliseconds(Int.random(in: 0...300, using: &random))
            guard lasts(number) else { return script }
            switch Int.random(in: 0..<14, using: &random) {
            case 0: script.connects = false
            case 1: script.failure = .iceFailed(detail: "simulated")
            case 2: script.applies = .hangs
            case 3: script.answers = .hangs
            case 4: script.makes = .hangs
            case 5: script.offers = .hangs
            default: break
            }
            return script
        }
    }

    /// Causes one random fault and, if the fault is temporary, ends it.
    package func causeFault(_ clock: ManualClock) async {
        let victim = victims[number(in: 0...victims.count - 1)]
        switch number(in: 0...19) {
        case 0...2: network.cut()
        case 3...4: network.cut(victim.media)
        case 5: network.fail(.iceFailed(detail: "simulated"))
        case 6...9: await loseSocket(victim.username, isSilent: isTrue(), clock)
        case 10...11: await loseSocket(nil, isSilent: isTrue(), clock)
        case 12...13: await restartServer(clock)
        case 14...16: await moveAway(victim, clock)
        case 17...18: await cutOffBoth(clock)
        default: break
        }
    }

    private func loseSocket(_ username: String?, isSilent: Bool, _ clock: ManualClock) async {
        if isSilent && isTrue() {
            wire.cutOff(username)
            await pause(clock)
        }
        wire.lose(username, isSilent: isSilent)
        await pause(clock)
        wire.recover(username)
    }

    private func restartServer(_ clock: ManualClock) async {
        wire.loseAll()
        // One peer reconnects before the other.
        for victim in isTrue() ? victims : victims.reversed() {
            await pause(clock)
            wire.recover(victim.username)
        }
    }

    /// Replaces the peer's network address, with or without the loss of its signaling socket.
    private func moveAway(_ victim: Victim, _ clock: ManualClock) async {
        let takesSocket = isTrue()
        if takesSocket { wire.lose(victim.username, isSilent: true) }
        network.emit(.addressLost("192.0.2.1"), to: victim.media)
        await pause(clock)
        if takesSocket { wire.recover(victim.username) }
        network.emit(.addressGained("192.0.2.2"), to: victim.media)
    }

    /// Interrupts the media and the signaling of both peers.
    private func cutOffBoth(_ clock: ManualClock) async {
        network.cut()
        await loseSocket(nil, isSilent: true, clock)
    }

    private func pause(_ clock: ManualClock) async {
        try? await clock.sleep(for: .milliseconds(number(in: 0...15_000)))
    }
}
