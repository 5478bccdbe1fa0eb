import CallCore
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Seed of fault injection")
struct ChaosSeedTests {
    /// Returns which of fifty `candidate` events are relayed if each is dropped with a probability of 0.5.
    ///
    /// If `isDisturbed`, other events are sent in between, also in another room.
    private func survivors(seed: UInt64, isDisturbed: Bool = false) throws -> [Int] {
        var survivors: [Int] = []
        try ChaosBench.withPair(seed: seed, { $0.set(\.drop, 0.5, of: ChaosEvent.relayed) }) { pair in
            let other = try ChaosBench.join(pair.bench, "Eve", isCaller: true, room: 2)
            _ = try ChaosBench.join(pair.bench, "Fay", isCaller: false, room: 2)
            for number in 0..<50 {
                if isDisturbed {
                    try other.send(#"42["candidate",0]"#)
                    try pair.ann.send(#"42["offer",-1]"#)
                    try pair.bob.send(#"42["candidate",0]"#)
                }
                try pair.say("candidate", number..<(number + 1))
            }
            survivors = try pair.bob.texts().filter { $0.hasPrefix(#"42["candidate""#) }.compactMap {
                Int($0.dropFirst(15).dropLast())
            }
        }
        return survivors
    }

    @Test("The same seed produces the same faults, and another seed produces different ones")
    func sameSeed() throws {
        let first = try survivors(seed: 7)
        #expect((10...40).contains(first.count))
        #expect(try survivors(seed: 7) == first)
        #expect(try survivors(seed: 8) != first)
    }

    @Test("The faults of an event do not depend on other events, senders or rooms")
    func independence() throws {
        #expect(try survivors(seed: 7, isDisturbed: true) == survivors(seed: 7))
    }

    @Test("With the same seed, every fault at a low probability also occurs at a higher one")
    func strength() {
        for seed in UInt64(0)..<200 {
            var (weak, strong) = (FaultRandom(seed: seed), FaultRandom(seed: seed))
            var (few, many) = (FaultProbabilities(), FaultProbabilities())
            (few.delay, few.drop) = (0.2, 0.1)
            (many.delay, many.drop, many.duplicate) = (0.6, 0.5, 0.5)
            let little = FaultOutcome(few, of: .offer, delay: 100...900, &weak)
            let much = FaultOutcome(many, of: .offer, delay: 100...900, &strong)
            if little.isDropped { #expect(much.isDropped) }
            if let delay = little.delay { #expect(much.delay == delay) }
        }
    }

    @Test("Random decisions occur with the given probability")
    func frequency() {
        var random = FaultRandom(seed: 3)
        #expect((2800...3200).contains((0..<10_000).count { _ in random.falls(0.3) }))
        #expect(!(0..<100).contains { _ in random.falls(0) })
        #expect((0..<100).allSatisfy { _ in random.falls(1) })
        #expect(Set((0..<200).map { _ in random.number(in: 5...9) }) == Set(5...9))
    }

    @Test("If the random sequence of a room was evicted, the room gets a different one")
    func ledger() throws {
        var ledger = ChaosLedger(seed: 1)
        let room = try RoomID(1)
        var first = ledger.random(for: .offer, of: .caller, in: room)
        for number in 2...(ChaosLedger.maximumCount + 10) {
            _ = ledger.random(for: .offer, of: .caller, in: try RoomID(number))
        }
        var again = ledger.random(for: .offer, of: .caller, in: room)
        #expect(
            (0..<4).map { _ in first.number(below: 1000) } != (0..<4).map { _ in again.number(below: 1000) }
        )
    }
}
