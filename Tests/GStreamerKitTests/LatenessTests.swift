import Testing

@testable import GStreamerKit

@Suite("The lateness of received packets")
struct LatenessTests {
    /// Returns the lateness in milliseconds of packets that are sent every 20 ms and take `transits` ms.
    private func lateness(transits: [Int], firstStamp: UInt32 = 0) -> [Int] {
        var lateness = Lateness()
        return transits.enumerated().map { number, transit in
            let arrival = UInt64(1_000_000_000 + (20 * number + transit) * 1_000_000)
            let late = lateness.next(arrival: arrival, stamp: firstStamp &+ UInt32(960 * number), rate: 48000)
            return Int(late / 1_000_000)
        }
    }

    @Test("Packets on time are not late")
    func onTime() { #expect(lateness(transits: Array(repeating: 30, count: 500)).allSatisfy { $0 == 0 }) }

    @Test(
        "A timestamp counts as near if it is within five seconds of the latest one, even across an overflow"
    )
    func sentAgain() {
        var lateness = Lateness()
        #expect(lateness.isNear(7, rate: 90_000))
        _ = lateness.next(arrival: 1_000_000_000, stamp: 1000, rate: 90_000)
        let near: [UInt32] = [1000, 0, 451_000, UInt32.max - 440_000]
        let far: [UInt32] = [451_001, 0x7FFF_FFFF, 0x8000_0000, 0x8000_03E8, UInt32.max - 460_000]
        #expect(near.allSatisfy { lateness.isNear($0, rate: 90_000) })
        #expect(!far.contains { lateness.isNear($0, rate: 90_000) })
    }

    @Test("The lateness of a packet is its delay relative to the earliest packets")
    func late() { #expect(lateness(transits: [30, 32, 30, 130, 110, 30]) == [0, 2, 0, 100, 80, 0]) }

    @Test("RTP timestamps may overflow")
    func overflow() {
        let transits = [30, 30, 30, 60, 30]
        #expect(lateness(transits: transits, firstStamp: .max - 1000) == [0, 0, 0, 30, 0])
    }

    @Test("A longer transit time counts as normal within ten seconds, without a jump")
    func longerPath() {
        let late = lateness(transits: Array(repeating: 30, count: 100) + Array(repeating: 110, count: 500))
        #expect(late[100] == 80)
        #expect(zip(late.dropFirst(100), late.dropFirst(101)).allSatisfy { $0 >= $1 && $0 - $1 <= 1 })
        #expect(late[599] <= 5)
    }

    @Test("A shorter transit time counts as normal at once")
    func shorterPath() { #expect(lateness(transits: [110, 110, 30, 30, 110]) == [0, 0, 0, 0, 80]) }

    @Test("After half a second without packets, or after a jump of the timestamps, the measurement restarts")
    func newBeginning() {
        #expect(lateness(transits: [30, 30, 540, 540]) == [0, 0, 0, 0])
        var lateness = Lateness()
        #expect(lateness.next(arrival: 1_000_000_000, stamp: 5, rate: 48000) == 0)
        #expect(lateness.next(arrival: 1_020_000_000, stamp: 2_000_000_000, rate: 48000) == 0)
        #expect(lateness.next(arrival: 1_040_000_000, stamp: 2_000_000_960, rate: 48000) == 0)
    }

    @Test("For arbitrary values, the lateness is bounded", arguments: [UInt32(0), 1, .max])
    func anyNumbers(rate: UInt32) {
        var generator = SystemRandomNumberGenerator()
        var lateness = Lateness()
        for _ in 0..<10_000 {
            let late = lateness.next(
                arrival: .random(in: 0...UInt64.max, using: &generator),
                stamp: .random(in: 0...UInt32.max, using: &generator),
                rate: rate
            )
            #expect(late <= UInt64(Lateness.maximum) * 2)
        }
    }

    @Test("Timestamps that continuously run ahead do not overflow")
    func runningAhead() {
        var lateness = Lateness()
        for number in UInt64(0)..<100 {
            // At a clock rate of 1 Hz, a step is up to 68 years.
            let late = lateness.next(
                arrival: number &* 999_999_999_700_000_000,
                stamp: UInt32(truncatingIfNeeded: number &* 1_000_000_000),
                rate: 1
            )
            #expect(late <= UInt64(Lateness.maximum) * 2)
        }
    }
}
