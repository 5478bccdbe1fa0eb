import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Timestamps of captured audio")
struct CaptureClockTests {
    private static let ms: UInt64 = 1_000_000

    /// Returns the distances, in milliseconds, of the timestamps from the true times of 10 ms buffers that
    /// arrive late by `lateness` milliseconds.
    private static func errors(_ lateness: [Int]) -> [Int] {
        var clock = CaptureClock()
        return lateness.enumerated().map { index, late in
            let start = 1000 + index * 10
            let time = clock.next(arrival: UInt64(start + 10 + late) * ms, lasting: 10 * ms)
            return Int(time / ms) - start
        }
    }

    @Test("The timestamp of a buffer is its arrival time minus its duration")
    func first() {
        #expect(Self.errors([0, 0, 0]) == [0, 0, 0])
        var clock = CaptureClock()
        #expect(clock.next(arrival: 3, lasting: 10) == 0)
    }

    @Test("Late arrivals between punctual ones do not shift the timestamps")
    func jitter() {
        #expect(Set(Self.errors((0..<1000).map { [0, 9, 30, 5][$0 % 4] })) == [0])
        #expect(Set(Self.errors([0, 200, 190, 180, 0, 0])) == [0])
    }

    @Test("If the first buffers arrive late, timestamps become correct without ever decreasing")
    func start() {
        #expect(Self.errors([30, 20, 10, 0, 0, 0, 0, 0, 0]) == [30, 25, 20, 15, 10, 5, 0, 0, 0])
        #expect(Set(Self.errors([30, 0, 0, 0, 0, 0] + (0..<400).map { $0 % 7 }).suffix(400)) == [0])
    }

    @Test("If the first buffers arrive too early, the timestamps are correct after two measurement windows")
    func burst() {
        let errors = Self.errors([0, 0] + [Int](repeating: 9, count: 100))
        #expect(Set(errors.suffix(32)) == [9])
    }

    @Test("A gap in the captured audio is noticed within two measurement windows")
    func gap() {
        let errors = Self.errors([0, 0, 0, 0] + (0..<100).map { 40 + $0 % 3 })
        #expect(errors[4] == 0)
        #expect(Set(errors.suffix(40)) == [40])
    }

    @Test("The timestamps deviate from a drifting clock by at most 7 ms, and are corrected in few steps")
    func drift() {
        for drift in [1, -1] {
            let errors = Self.errors((0..<8000).map { 500 + drift * $0 / 40 })
            #expect(zip(errors, 0...).allSatisfy { abs($0 - (500 + drift * $1 / 40)) <= 7 })
            #expect(Set(errors).count < 60)
        }
    }

    @Test("After a pause, the timestamps restart from the next arrival")
    func pause() { #expect(Self.errors([0, 0, 300, 300]) == [0, 0, 300, 300]) }

    @Test("Timestamps never decrease, even if delayed audio arrives in a burst after a stall")
    func stall() {
        let errors = Self.errors([0, 0] + (0..<60).map { 600 - $0 * 10 } + [Int](repeating: 0, count: 100))
        let times = zip(errors, 0...).map { $0 + $1 * 10 }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(errors.last == 0)
    }

    @Test("After a switch to another device, timestamps do not decrease, and soon match the new arrivals")
    func otherDevice() {
        var clock = CaptureClock()
        let ms = Self.ms
        #expect(clock.next(arrival: 1000 * ms, lasting: 10 * ms) == 990 * ms)
        clock.restart()
        let times = (0..<50).map { clock.next(arrival: (1005 + $0 * 100) * ms, lasting: 100 * ms) / ms }
        #expect(times[0] == 995)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(times[49] == 905 + 49 * 100)
    }

    @Test("A gap in the audio of a device with long buffers is also noticed within two measurement windows")
    func longBuffers() {
        var clock = CaptureClock()
        let times = (0..<20).map { (index: UInt64) in
            let arrival: UInt64 = 1100 + index * 100 + (index < 10 ? 0 : 200)
            return clock.next(arrival: arrival * Self.ms, lasting: 100 * Self.ms) / Self.ms
        }
        #expect(times[9] == 1900)
        #expect(times[17] == 1000 + 1700 + 200)
    }

    @Test("Extreme times do not overflow")
    func large() {
        var clock = CaptureClock()
        #expect(clock.next(arrival: .max, lasting: 1) == UInt64.max - 1)
        #expect(clock.next(arrival: .max, lasting: .max) <= .max)
        #expect(clock.next(arrival: .max, lasting: .max) <= .max)
        #expect(clock.next(arrival: 0, lasting: .max) <= .max)
        #expect(clock.next(arrival: .max / 2, lasting: 1) <= .max)
    }
}
