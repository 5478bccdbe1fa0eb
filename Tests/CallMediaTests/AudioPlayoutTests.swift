import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Playout times of received audio")
struct AudioPlayoutTests {
    private static let ms: UInt64 = 1_000_000
    private static let second = 1000 * ms

    // MARK: The delay that audio needs

    /// Returns the delay in ms after each packet; packets arrive every 20 ms and need these delays in ms.
    private static func delays(_ needs: [Int64]) -> [UInt64] {
        var hold = AudioHold()
        return needs.enumerated().map { index, need in
            hold.update(need: need * Int64(ms), at: UInt64(index) * 20 * ms)
            return hold.delay / ms
        }
    }

    @Test("The delay has a margin, so that slightly later packets do not change it")
    func margin() { #expect(Set(Self.delays([30, 38, 25, 40])) == [40]) }

    @Test("A late packet increases the delay immediately")
    func late() { #expect(Self.delays([30, 95, 30]) == [40, 105, 105]) }

    @Test("The delay decreases after five to ten seconds in which a smaller delay would have sufficed")
    func shrinking() {
        let delays = Self.delays([30, 95] + [Int64](repeating: 30, count: 600))
        #expect(delays[..<(5 * 50)].dropFirst().allSatisfy { $0 == 105 })
        #expect(delays[10 * 50 + 2] == 40)
    }

    @Test("The delay is not reduced by less than 20 ms")
    func steady() {
        #expect(Self.delays([45, 30] + [Int64](repeating: 30, count: 1000)).last == 55)
    }

    @Test(
        "The delay is limited to half a second plus a margin of 10 ms",
        arguments: [.max, 3_600_000_000_000] as [Int64]
    )
    func bounded(_ need: Int64) {
        var hold = AudioHold()
        hold.update(need: need, at: 0)
        #expect(hold.delay == 510 * Self.ms)
        hold.update(need: .min, at: .max)
        hold.update(need: .min, at: 0)
        #expect(hold.delay <= 510 * Self.ms)
    }

    @Test("The limit of half a second does not include the latency of the audio device")
    func slowDevice() {
        var hold = AudioHold()
        hold.device = 900 * Self.ms
        hold.update(need: 950_000_000, at: 0)
        #expect(hold.delay == 960 * Self.ms)
    }

    // MARK: Audio and video together

    @Test(
        "With a slow audio device, audio is delayed by the device's latency, and video by at most 600 ms",
        arguments: [330, 2000]
    )
    func slow(_ latency: UInt64) {
        let playout = Playout(delay: 20)
        let device = latency * Self.ms
        for number in 1...600 as ClosedRange<UInt64> {
            let time = number * 20 * Self.ms
            let delay = playout.audioDelay(need: Int64(device), device: device, of: time, at: time)
            #expect(delay == device + 10 * Self.ms)
        }
        let time = 12 * Self.second
        #expect(playout.due(time, now: time) == time + min(600, latency - 5) * Self.ms)
    }

    @Test("While audio plays, video is delayed like audio, minus the time needed to draw a frame")
    func videoDelay() {
        let playout = Playout(delay: 20)
        for number in 1...200 as ClosedRange<UInt64> {
            let time = number * 20 * Self.ms
            #expect(playout.audioDelay(need: 105_000_000, of: time, at: time) >= 115 * Self.ms)
        }
        #expect(playout.due(4 * Self.second, now: 4 * Self.second) == 4100 * Self.ms)
        playout.audioStopped()
        for number in 200...300 as ClosedRange<UInt64> {
            _ = playout.due(number * 20 * Self.ms, now: number * 20 * Self.ms)
        }
        #expect(playout.due(6020 * Self.ms, now: 6020 * Self.ms) == 6040 * Self.ms)
    }

    @Test("When the video delay grows, the audio delay grows equally and just as gradually")
    func held() {
        let playout = Playout(delay: 20)
        playout.set(delay: 300)
        var delays: [UInt64] = []
        for number in 1...300 as ClosedRange<UInt64> {
            let time = number * 20 * Self.ms
            _ = playout.due(time, now: time)
            // Audio timestamps lie between those of frames and may be older.
            delays.append(playout.audioDelay(need: 30_000_000, of: time - 5 * Self.ms, at: time))
        }
        #expect(delays.first == 40 * Self.ms)
        #expect(zip(delays, delays.dropFirst()).allSatisfy { $1 <= $0 + 3 * Self.ms })
        #expect(delays.last == 315 * Self.ms)
    }

    @Test("Audio that reaches the device too late increases the delay")
    func lateness() {
        let playout = Playout(delay: 20)
        _ = playout.audioDelay(need: 30_000_000, of: Self.second, at: Self.second)
        playout.audioWasLate(by: 25 * Self.ms)
        #expect(playout.audioDelay(need: 30_000_000, of: Self.second, at: Self.second) == 75 * Self.ms)
    }

    // MARK: The device's clock

    /// Schedules packets of 20 ms with these capture times for playback on a simulated device.
    ///
    /// The device's clock is `offset` milliseconds behind the shared clock, and its readings have jitter.
    ///
    /// - Parameters:
    ///   - times: the capture times in milliseconds.
    ///   - delay: the desired delay of each packet in milliseconds.
    ///   - offset: the offset of the device's clock in milliseconds.
    /// - Returns: the delay from capture to playback of each packet, in milliseconds.
    private static func played(_ times: [UInt64], delay: (Int) -> UInt64, offset: UInt64 = 400) -> [UInt64] {
        var timing = AudioTiming()
        return times.enumerated().map { index, time in
            let now = (time + 5) * ms
            let device = now - offset * ms + [0, 3, 1, 6][index % 4] * ms
            let wanted = delay(index) * ms
            let due = timing.place(
                time * ms,
                lasting: 20 * ms,
                now: now,
                device: device,
                wanted: wanted,
                minimum: 30 * ms
            )
            return due / ms + offset - time
        }
    }

    private static func times(_ count: Int) -> [UInt64] { (0..<UInt64(count)).map { 1000 + 20 * $0 } }

    @Test("Audio is played with a constant delay despite clock jitter")
    func even() { #expect(Set(Self.played(Self.times(500)) { _ in 40 }) == [40]) }

    @Test("Lost packets leave a gap without changing the delay")
    func lost() {
        let times = Self.times(50).enumerated().filter { ![7, 20, 21, 22].contains($0.offset) }.map(\.element)
        #expect(Set(Self.played(times) { _ in 40 }) == [40])
    }

    @Test("A capture time corrected by a sender report is applied immediately", arguments: [33, -18])
    func reported(_ change: Int) {
        let times = Self.times(100).enumerated().map { $0 < 10 ? $1 : UInt64(Int($1) + change) }
        #expect(Set(Self.played(times) { _ in 40 }) == [40])
    }

    @Test("The delay changes by at least 15 ms or not at all, and is never below the minimum")
    func steps() {
        #expect(Set(Self.played(Self.times(100)) { $0 < 10 ? 40 : 54 }) == [40])
        #expect(Set(Self.played(Self.times(100)) { $0 < 10 ? 40 : 55 }) == [40, 55])
        #expect(Set(Self.played(Self.times(100)) { _ in 20 }) == [30])
    }

    @Test("A device clock that jumps is distinguished from one that drifts")
    func moved() {
        let moments = (0..<3000).map { UInt64($0) * 20 * Self.ms }
        var drifting = ClockWatch()
        // A drift of a thousandth is ten times that of a quartz clock.
        #expect(moments.allSatisfy { !drifting.hasMoved(device: 500 + $0 / 1000 * 1001, shared: $0) })
        var starting = ClockWatch()
        let isQuiet = moments.allSatisfy { moment in
            let corrected = moment < Self.second ? 200 * Self.ms : 0
            return !starting.hasMoved(device: 500 * Self.ms + moment - corrected, shared: moment)
        }
        #expect(isQuiet)
        var moving = ClockWatch()
        let alarms = moments.filter { moment in
            moving.hasMoved(
                device: moment < 10 * Self.second ? 500 * Self.ms + moment : 380 * Self.ms + moment,
                shared: moment
            )
        }
        #expect(alarms.count == 1 && alarms[0] > 10 * Self.second && alarms[0] < 13 * Self.second)
    }

    /// Returns the estimated read-ahead, in milliseconds, of a device whose buffer accounts for 20 ms.
    ///
    /// - Parameters:
    ///   - pause: the number of readings, one per 20 ms, between updates of the device's position.
    ///   - ahead: the latency in milliseconds at each reading.
    /// - Returns: the read-ahead after all readings.
    private static func readAhead(pause: Int = 1, _ ahead: [UInt64]) -> UInt64 {
        var latency = DeviceLatency(buffer: 20 * ms)
        for (index, ahead) in ahead.enumerated() {
            let reportedIndex = UInt64(index / pause * pause)
            let heard = UInt64(index) * 20 * ms
            latency.update(AudioDeviceProgress(taken: (reportedIndex * 20 + ahead) * ms, heard: heard))
        }
        return latency.readAhead / ms
    }

    @Test(
        "A latency above that of the buffer is applied after four consistent readings",
        arguments: [1, 10]
    )
    func latency(_ pause: Int) {
        let result = Self.readAhead(pause: pause, [UInt64](repeating: 330, count: 3 * pause + 1))
        #expect(result == 350)
        #expect(Self.readAhead([330, 330, 330]) == 20)
        #expect(Self.readAhead([330, 330, 25, 28, 330, 330, 25]) == 20)
        #expect(Self.readAhead([330, 330, 330, 330, 25]) == 20)
    }

    @Test("On a device with high latency, a lateness of up to 100 ms is ignored")
    func tooLate() {
        var latency = DeviceLatency(buffer: 20 * Self.ms)
        #expect(
            [20, 19, -500_000].map { latency.lateness(ahead: $0 * 1_000_000) / Self.ms } == [0, 1, 5000]
        )
        for reading in 0...3 {
            let taken = UInt64(reading) * 20 + 330
            latency.update(AudioDeviceProgress(taken: taken * Self.ms, heard: UInt64(reading) * 20 * Self.ms))
        }
        #expect([260, 250, 249].map { latency.lateness(ahead: $0 * 1_000_000) / Self.ms } == [0, 0, 101])
    }

    @Test("An implausible latency is limited to five seconds")
    func mistaken() {
        #expect(Self.readAhead([UInt64](repeating: 3_600_000, count: 4)) == 5020)
        #expect(Self.readAhead([UInt64](repeating: 0, count: 4)) == 20)
    }

    @Test("The read-ahead is shorter than a sound server's buffer but longer than a buffer that is kept full")
    func ahead() {
        let server = AudioDeviceBuffer(length: 40 * Self.ms, period: 10 * Self.ms, isKeptFull: false)
        #expect(server.readAhead == 20 * Self.ms)
        let wireless = AudioDeviceBuffer(length: 170 * Self.ms, period: 10 * Self.ms, isKeptFull: false)
        #expect(wireless.readAhead == 150 * Self.ms)
        let card = AudioDeviceBuffer(length: 40 * Self.ms, period: 10 * Self.ms, isKeptFull: true)
        #expect(card.readAhead == 50 * Self.ms)
    }
}
