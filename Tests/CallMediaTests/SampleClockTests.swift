import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Contiguous timestamps for live audio buffers")
struct SampleClockTests {
    private static let ms: UInt64 = 1_000_000

    /// Returns the timestamps, in milliseconds, of 20 ms buffers that arrive late by `lateness` milliseconds.
    ///
    /// The total duration of the previous buffers is subtracted from each timestamp.
    private static func times(_ lateness: [UInt64]) -> [UInt64] {
        var even = SampleClock()
        return lateness.enumerated().map { index, late in
            even.next(at: (1000 + UInt64(index) * 20 + late) * ms, lasting: 20 * ms) / ms - UInt64(index) * 20
        }
    }

    @Test("Jitter of the arrival does not affect the timestamps")
    func even() { #expect(Set(Self.times((0..<500).map { [10, 0, 30, 5][$0 % 4] })) == [1010]) }

    @Test("The timestamps follow clock drift in steps")
    func drift() {
        let times = Self.times((0..<1000).map { UInt64($0) / 10 })
        #expect(times.last.map { (1080...1100).contains($0) } == true)
        #expect(Set(times).count < 10)
    }

    @Test("A single late buffer does not shift the timestamps, but persistent lateness does")
    func late() {
        #expect(Set(Self.times([0, 0, 200, 0, 0])) == [1000])
        let moved = Self.times([0] + [UInt64](repeating: 100, count: 200)).last
        #expect(moved.map { (1085...1100).contains($0) } == true)
    }

    @Test("A smaller tolerance keeps the timestamps closer to the clock")
    func tolerance() {
        var even = SampleClock(tolerance: 5 * Int64(Self.ms))
        let starts: [UInt64] = [1000] + (1..<300).map { 1012 + $0 * 20 }
        let times = starts.map { even.next(at: $0 * Self.ms, lasting: 20 * Self.ms) }
        #expect(times.last.map { (1007...1012).contains($0 / Self.ms - 299 * 20) } == true)
    }

    @Test("The first buffer, and the first one after a pause, get the time of the clock")
    func pause() {
        #expect(Self.times([0, 0, 250, 250]) == [1000, 1000, 1250, 1250])
        #expect(Self.times([900, 0, 0]) == [1900, 1000, 1000])
    }

    @Test("Extreme times do not overflow")
    func large() {
        var even = SampleClock()
        #expect(even.next(at: .max, lasting: .max) == .max)
        #expect(even.next(at: 0, lasting: .max) <= .max)
        #expect(even.next(at: .max / 2, lasting: 1) <= .max)
    }
}
