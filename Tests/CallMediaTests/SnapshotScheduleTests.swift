import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Snapshot schedule")
struct SnapshotScheduleTests {
    private static let start = ContinuousClock.now

    /// Returns the times, in seconds, of the snapshots taken from a stream with keyframes at these times.
    private static func kept(every interval: Double, of keyframes: [Double]) -> [Double] {
        var schedule = SnapshotSchedule(interval: .seconds(interval))
        return keyframes.filter { time in
            let now = start + .seconds(time)
            if let earliest = schedule.earliest, now < earliest { return false }
            schedule.pictureTaken(at: now)
            return true
        }
    }

    @Test("A keyframe slightly before the due time is used instead of the next one")
    func jitter() {
        let keyframes = (0..<20).map { Double($0) - ($0 % 2 == 0 ? 0.02 : 0) + 0.02 }
        #expect(Self.kept(every: 4, of: keyframes) == [0, 4, 8, 12, 16].map { keyframes[$0] })
        #expect(Self.kept(every: 1, of: keyframes) == keyframes)
    }

    @Test("A late snapshot does not delay the following ones")
    func lateness() {
        #expect(Self.kept(every: 4, of: [0, 3, 6, 9, 12, 15, 18, 21]) == [0, 6, 9, 12, 18, 21])
    }

    @Test("Snapshots that were missed during a gap are not taken later")
    func gap() {
        let keyframes = [0, 60] + (0..<8).map { 60.5 + Double($0) / 2 }
        #expect(Self.kept(every: 2, of: keyframes) == [0, 60, 61.5, 63.5])
    }
}
