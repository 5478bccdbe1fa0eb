import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Start of an audio device")
struct DeviceStartTests {
    private static let ms: UInt64 = 1_000_000

    /// The device's clock and the duration of the audio that it has taken so far, both in milliseconds.
    private struct Reading {
        var device: Int64
        var taken: UInt64?
    }

    /// Returns the times, in milliseconds, at which the device begins to play and its clock is reliable.
    private static func times(_ reading: (Int64) -> Reading) -> (plays: Int64?, isOver: Int64?) {
        var start = DeviceStart()
        var times: (plays: Int64?, isOver: Int64?)
        for time in stride(from: Int64(0), to: 10_000, by: 20) where times.isOver == nil {
            let reading = reading(time)
            start.update(
                device: UInt64(bitPattern: reading.device) &* ms,
                shared: UInt64(time) * ms + 5_000_000_000,
                taken: reading.taken.map { $0 * ms }
            )
            if start.isPlaying, times.plays == nil { times.plays = time }
            if start.isOver { times.isOver = time }
        }
        return times
    }

    @Test("The clock of a device that plays immediately is reliable after 300 ms")
    func atOnce() {
        let times = Self.times { Reading(device: $0, taken: UInt64($0) / 10 * 10) }
        #expect(times == (40, 320))
    }

    @Test("A device that does not report its progress is assumed to play immediately")
    func silent() {
        let times = Self.times { Reading(device: $0, taken: nil) }
        #expect(times == (0, 280))
    }

    @Test("The clock of an idle sound server counts as reliable once the clock runs steadily")
    func idle() {
        // The server takes audio from 1 s on. Its clock runs until 0.5 s, then stands still, and runs again
        // from 1.5 s on.
        let times = Self.times { time in
            Reading(device: time < 500 ? time : max(500, time - 1000), taken: UInt64(max(0, time - 1000)))
        }
        #expect(times == (1040, 1780))
    }

    @Test("Clock jitter of a few milliseconds is tolerated")
    func uneven() {
        let times = Self.times { Reading(device: $0 + ($0 / 20 % 2) * 10, taken: nil) }
        #expect(times == (0, 280))
    }

    @Test("The wait for a device that takes no audio or has an unsteady clock is bounded")
    func hopeless() {
        #expect(Self.times { Reading(device: $0, taken: 0) } == (3020, 3300))
        #expect(Self.times { Reading(device: $0 * 3, taken: nil) } == (0, 6020))
    }
}
