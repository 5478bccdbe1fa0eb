import Basics
import CallCore
import Testing

@testable import CallMedia
@testable import GStreamerKit
@testable import MediaKit

@Suite("Freeze detection")
struct FreezeDetectorTests {
    private static let ms: UInt64 = 1_000_000

    private static func freezes(_ times: [UInt64]) -> Int {
        var detector = FreezeDetector()
        for time in times { detector.frame(at: time * ms) }
        return detector.count
    }

    /// The times, in milliseconds, of frames that arrive every 33 ms.
    private static let steady = (0..<60).map { UInt64($0) * 33 }

    @Test("Steady video does not freeze") func steady() { #expect(Self.freezes(Self.steady) == 0) }

    @Test(
        "A gap of the mean interval plus 150 ms is a freeze, and a shorter gap is not",
        arguments: [
            (182, 0), (183, 1), (5000, 1),
        ]
    )
    func gap(_ milliseconds: UInt64, _ count: Int) {
        let last = Self.steady.last ?? 0
        #expect(Self.freezes(Self.steady + [last + milliseconds]) == count)
    }

    @Test("At low frame rates, a gap of three mean intervals is a freeze", arguments: [(599, 0), (600, 1)])
    func slow(_ milliseconds: UInt64, _ count: Int) {
        let slow = (0..<40).map { UInt64($0) * 200 }
        #expect(Self.freezes(slow + [(slow.last ?? 0) + milliseconds]) == count)
    }

    @Test("The first gaps are not freezes, because there is no mean interval yet")
    func beginning() { #expect(Self.freezes([0, 3000, 3033, 3066]) == 0) }

    @Test("Repeated and decreasing frame times are ignored")
    func odd() { #expect(Self.freezes(Self.steady + [0, 0, 5, UInt64.max / 1_000_000]) == 1) }
}

@Suite("Statistics of each second")
struct StatisticsReporterTests {
    private static let video = CodecPlan.Choice(codec: .h264, payloadType: 96)

    private static func totals(_ change: (inout TrafficCounters.Flow) -> Void) -> TrafficCounters.Totals {
        var flow = TrafficCounters.Flow()
        change(&flow)
        return TrafficCounters.Totals(received: [.video: flow], sent: [.video: flow])
    }

    @Test("Rates cover the time since the last report, and totals cover the whole connection")
    func rates() throws {
        var reporter = StatisticsReporter(choices: [.video: Self.video], outgoing: [])
        let start = ContinuousClock.now
        let first = Self.totals { ($0.packets, $0.bytes, $0.frames) = (100, 100_000, 30) }
        let second = Self.totals { ($0.packets, $0.bytes, $0.frames) = (300, 350_000, 90) }
        _ = reporter.report(first, WebRTCStatistics(), at: start)
        let incoming = try #require(
            reporter.report(second, WebRTCStatistics(), at: start + .seconds(2)).videoIn
        )
        #expect(incoming.bitrate == 1_000_000)
        #expect(incoming.fps == 30)
        #expect((incoming.packets, incoming.frames) == (300, 90))
        #expect(incoming.codec == "H264")
    }

    @Test("Loss and jitter are those of the stream's SSRC, and the round trip is that of the call")
    func measured() throws {
        var reporter = StatisticsReporter(choices: [.video: Self.video], outgoing: [])
        var measured = WebRTCStatistics()
        measured.inbound = [
            .init(ssrc: 1, packetsLost: 99, jitter: 9), .init(ssrc: 2, packetsLost: 3, jitter: 0.00126),
        ]
        measured.roundTripTime = 0.01234
        let report = reporter.report(Self.totals { $0.ssrc = 2 }, measured)
        #expect(report.videoIn?.lost == 3)
        #expect(report.videoIn?.jitterMs == 1.3)
        #expect(report.rttMs == 12.3)
    }

    @Test("Inactive streams are not reported, and two simultaneous reports do not divide by zero")
    func nothing() {
        var reporter = StatisticsReporter(choices: [:], outgoing: [])
        let now = ContinuousClock.now
        _ = reporter.report(Self.totals { $0.bytes = 1 }, WebRTCStatistics(), at: now)
        let report = reporter.report(Self.totals { $0.bytes = 2 }, WebRTCStatistics(), at: now)
        #expect(report.audioIn == nil)
        #expect(report.audioOut == nil)
        #expect(report.videoOut?.bitrate == 8000)
    }
}

@Suite("Traffic counters")
struct TrafficCountersTests {
    @Test("The times of the last transport packet and of the last audio packet are stored separately")
    func liveness() {
        let counters = TrafficCounters()
        #expect(counters.liveness == StallRule.Liveness())
        counters.transportPacket()
        let first = counters.liveness
        #expect(first.lastPacket != nil && first.lastAudio == nil)
        #expect(counters.received(.audio, bytes: 10))
        #expect(!counters.received(.audio, bytes: 10))
        counters.transportPacket()
        #expect(counters.liveness.lastAudio != nil)
        #expect((counters.liveness.lastPacket ?? .now) >= (first.lastPacket ?? .now))
    }

    @Test("The first packet and frame of each kind are reported once")
    func firsts() {
        let counters = TrafficCounters()
        counters.identified(.video, ssrc: 7)
        #expect(counters.received(.video, bytes: 1))
        #expect(counters.received(.audio, bytes: 1))
        #expect(counters.receivedFrame(.video, width: 4, height: 2, at: 0))
        #expect(!counters.receivedFrame(.video, width: 8, height: 4, at: 5))
        let flow = counters.snapshot.received[.video]
        #expect((flow?.width, flow?.height, flow?.frames, flow?.ssrc) == (8, 4, 2, 7))
    }
}
