import Basics
import Testing

@testable import MediaKit

@Suite("The times of a recorded stream")
struct StreamTimelineTests {
    private static let millisecond: Int64 = 1_000_000

    /// Returns the time in the recording of a sample of 20 ms, in milliseconds.
    private func place(
        _ timeline: inout StreamTimeline,
        _ kind: MediaKind,
        _ milliseconds: Int64,
        opening: Int = 1,
        seek: UInt32 = 0,
        group: UInt32 = 1
    ) -> Int64 {
        let part = StreamTimeline.Part(opening: opening, seek: seek, group: group)
        let time = milliseconds * Self.millisecond
        return (time + timeline.shift(kind, part, time: time, duration: 20_000_000)) / Self.millisecond
    }

    /// Returns the times of a recording whose two tracks have two seconds.
    private func twoSeconds() -> StreamTimeline {
        var timeline = StreamTimeline()
        for time in stride(from: Int64(0), to: 2000, by: 20) {
            _ = place(&timeline, .video, time)
            _ = place(&timeline, .audio, time)
        }
        return timeline
    }

    @Test("A recording begins at zero, regardless of the position of the stream", arguments: [5000, 0, -80])
    func beginning(start: Int64) {
        var timeline = StreamTimeline()
        #expect(place(&timeline, .video, start) == 0)
        #expect(place(&timeline, .audio, start + 10) == 10)
        #expect(place(&timeline, .video, start + 40) == 40)
    }

    @Test("After a seek, both tracks continue in sync, in any order of arrival")
    func seek() {
        var timeline = twoSeconds()
        #expect(place(&timeline, .video, 0, seek: 7) == 2000)
        // Audio from before the seek that is still on its way keeps its place.
        #expect(place(&timeline, .audio, 2000) == 2000)
        #expect(place(&timeline, .audio, 20, seek: 7) == 2020)
        #expect(place(&timeline, .video, 40, seek: 7) == 2040)
    }

    @Test("A seek shortly after the beginning causes no overlap")
    func earlySeek() {
        var timeline = StreamTimeline()
        _ = place(&timeline, .video, 0)
        _ = place(&timeline, .video, 180)
        #expect(place(&timeline, .video, 0, seek: 7) == 200)
    }

    @Test("A reopened stream continues after the end of the previous one")
    func again() {
        var timeline = twoSeconds()
        #expect(place(&timeline, .audio, 0, opening: 2, group: 2) == 2000)
        #expect(place(&timeline, .video, -40, opening: 2, group: 2) == 1960)
        #expect(place(&timeline, .video, 40, opening: 2, group: 2) == 2040)
    }

    @Test("When a file repeats without a seek, its timestamps continue after its end")
    func repetition() {
        var timeline = twoSeconds()
        #expect(place(&timeline, .video, 0, group: 2) == 2000)
        #expect(place(&timeline, .audio, 0, group: 2) == 2000)
    }

    @Test("A stream group continuing the previous one keeps its timestamps", arguments: [2400, 1980, 1600])
    func continuation(start: Int64) {
        var timeline = twoSeconds()
        #expect(place(&timeline, .video, start, group: 2) == start)
        #expect(place(&timeline, .audio, start - 20, group: 3) == start - 20)
    }

    @Test("A later track with a stream group of its own keeps its offset from the other track")
    func late() {
        var timeline = StreamTimeline()
        _ = place(&timeline, .video, 1000)
        #expect(place(&timeline, .audio, 1400, group: 2) == 400)
    }

    @Test("A gap in a stream without a seek is preserved")
    func gap() {
        var timeline = StreamTimeline()
        _ = place(&timeline, .video, 0)
        #expect(place(&timeline, .video, 9000) == 9000)
    }

    @Test("Absurd timestamps never trap", arguments: [Int64(1) << 60, -(1 << 60), 0])
    func absurd(time: Int64) {
        var timeline = StreamTimeline()
        for opening in 0..<40 {
            let part = StreamTimeline.Part(opening: opening / 4, seek: 0, group: UInt32(opening))
            _ = timeline.shift(.video, part, time: time, duration: .max)
            _ = timeline.shift(.audio, part, time: opening.isMultiple(of: 2) ? 0 : -time, duration: nil)
        }
    }
}
