import Basics
import CallCore
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Features negotiated for an m-line")
struct SectionFeaturesTests {
    private static func section(_ kind: String, _ attributes: [String]) throws -> MediaSection {
        let head = ["v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "m=\(kind) 9 UDP/TLS/RTP/SAVPF 96"]
        let lines = head + ["a=rtpmap:96 VP8/90000"] + attributes
        let description = try SessionDescription(parsing: lines.joined(separator: "\r\n") + "\r\n")
        return try #require(description.media.first)
    }

    private static let feedback = ["a=rtcp-fb:96 transport-cc", "a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack pli"]
    private static let uri = SectionFeatures.transportFeedbackURI

    @Test("An answer uses the RTP header extension ID of the offer")
    func answersWithOfferedIdentifier() throws {
        let section = try Self.section("video", Self.feedback + ["a=extmap:7 \(Self.uri)"])
        let features = SectionFeatures(of: section, payloadType: 96, ssrc: 5)
        #expect(features.transportFeedbackID == 7)
        #expect(features.hasNack)
        #expect(features.added(to: "a;b") == "a\(fields(7));b\(fields(7))")
    }

    private func fields(_ id: Int) -> String {
        ",extmap-\(id)=(string)\(Self.uri),rtcp-fb-transport-cc=(boolean)true,ssrc=(uint)5"
    }

    @Test(
        "A feature that the offer lacks, or declares incompletely or with an unusable ID, is not answered",
        arguments: [[], ["a=extmap:7 \(uri)"], feedback, feedback + ["a=extmap:15 \(uri)"]]
    )
    func notOffered(_ attributes: [String]) throws {
        let features = SectionFeatures(of: try Self.section("video", attributes), payloadType: 96, ssrc: nil)
        #expect(features.transportFeedbackID == nil)
        #expect(features.hasNack == attributes.contains("a=rtcp-fb:96 nack"))
    }

    @Test("The playout-delay extension is negotiated only for video, and only if the peer offers it")
    func playoutDelay() throws {
        let line = "a=extmap:9 \(SectionFeatures.playoutDelayURI)"
        let video = SectionFeatures(of: try Self.section("video", [line]), payloadType: 96, ssrc: nil)
        #expect(video.playoutDelayID == 9)
        #expect(video.added(to: "a") == "a,extmap-9=(string)\(SectionFeatures.playoutDelayURI)")
        let refused = SectionFeatures(of: try Self.section("video", []), payloadType: 96, ssrc: nil)
        #expect(refused.playoutDelayID == nil)
        let audio = SectionFeatures(of: try Self.section("audio", [line]), payloadType: 96, ssrc: nil)
        #expect(audio.playoutDelayID == nil)
    }

    @Test("NACK is neither offered nor answered for audio")
    func audioNeedsNoFeedback() throws {
        let section = try Self.section("audio", Self.feedback)
        #expect(!SectionFeatures(of: section, payloadType: 96, ssrc: nil).hasNack)
        #expect(!SectionFeatures.offered(.audio, ssrc: nil).hasNack)
    }

    @Test("Duplicate attribute lines within a media section are removed")
    func duplicates() {
        let text = [
            "m=video", "a=extmap:3 x", "a=mid:0", "a=extmap:3 x", "a=sendrecv", "m=audio", "a=extmap:3 x",
        ]
        let expected = ["m=video", "a=extmap:3 x", "a=mid:0", "a=sendrecv", "m=audio", "a=extmap:3 x"]
        let joined = text.joined(separator: "\r\n")
        #expect(DuplicateLines.removed(from: joined) == expected.joined(separator: "\r\n"))
    }
}

@Suite("Delay of the jitter buffer")
struct PlayoutDelayTests {
    private static func lossy(_ loss: Double, _ roundTrip: Double?) -> PlayoutDelay.Retransmission {
        PlayoutDelay.Retransmission(roundTrip: roundTrip, loss: loss)
    }

    @Test("The delay rises with jitter immediately, and low jitter leaves it at its minimum")
    func jitter() {
        var delay = PlayoutDelay(minimum: 20)
        #expect(delay.update(jitter: 0.001, retransmission: nil, at: 0) == nil)
        #expect(delay.update(jitter: 0.02, retransmission: nil, at: 1) == 80)
        #expect(delay.milliseconds == 80)
    }

    @Test(
        "With retransmission, the delay grows with packet loss",
        arguments: [(0.0, 105), (0.01, 175), (0.05, 245)]
    )
    func retransmission(_ loss: Double, _ expected: Int) {
        var delay = PlayoutDelay(minimum: 20)
        #expect(delay.update(jitter: 0, retransmission: Self.lossy(loss, 0.05), at: 0) == expected)
    }

    @Test(
        "The interval and the number of requests for a lost packet depend on the round trip",
        arguments: [
            (nil, -1, -1), (0, 10, 27), (0.002, 10, 27), (0.1, 50, 4), (0.15, 38, 4), (0.22, 15, 4),
            (0.25, 10, 2), (0.3, 320, -1), (.nan, -1, -1), (1e300, 5000, -1), (-1, 10, 127),
        ] as [(Double?, Int, Int)]
    )
    func pace(_ roundTrip: Double?, _ timeout: Int, _ maximum: Int) {
        let retries = Self.lossy(0.05, roundTrip).retries
        #expect(retries == (timeout, maximum))
    }

    @Test("The delay of frames covers jitter and, for ten seconds after a loss, also retransmission")
    func held() {
        var delay = PlayoutDelay(minimum: 20)
        _ = delay.expectLoss()
        #expect(delay.held(jitter: 0.002, isLossy: false, at: 0) == 20)
        #expect(delay.held(jitter: 0.02, isLossy: false, at: 1) == 80)
        #expect(delay.held(jitter: 0.002, isLossy: true, at: 2) == 300)
        #expect(delay.held(jitter: 0.002, isLossy: false, at: 11.9) == 300)
        #expect(delay.held(jitter: 0.002, isLossy: false, at: 12) == 20)
        #expect(delay.held(jitter: .nan, isLossy: false, at: 13) == 20)
    }

    @Test("The delay never exceeds 300 ms", arguments: [0.5, 1e300, .infinity, .nan, -1])
    func maximum(_ strange: Double) {
        var delay = PlayoutDelay(minimum: 20)
        _ = delay.update(jitter: strange, retransmission: Self.lossy(0.2, strange), at: 0)
        #expect((20...300).contains(delay.milliseconds))
    }

    @Test("The delay decreases after ten seconds in which a smaller delay would have sufficed")
    func shrinks() {
        var delay = PlayoutDelay(minimum: 20)
        #expect(delay.expectLoss() == 300)
        #expect(delay.update(jitter: 0, retransmission: nil, at: 0) == nil)
        #expect(delay.update(jitter: 0, retransmission: nil, at: 9.9) == nil)
        #expect(delay.update(jitter: 0, retransmission: nil, at: 10) == 20)
    }
}

@Suite("Playout delay requested from the peer")
struct PlayoutDelayHintTests {
    @Test("No hint is sent before the first positive delay, but a later return to 0 is sent")
    func silence() {
        let hint = PlayoutDelayHint()
        hint.set(0)
        #expect(hint.value == nil)
        hint.set(1)
        #expect(hint.value == 0x001FFF)
        hint.set(0)
        #expect(hint.value == 0x000FFF)
    }

    @Test(
        "The hint's minimum is rounded up to a multiple of 10 ms, and its maximum is always 40,950 ms",
        arguments: [(300, 0x01EFFF), (251, 0x01AFFF), (40_950, 0xFFFFFF), (Int.max, 0xFFFFFF)]
            as [(Int, UInt32)]
    )
    func value(_ milliseconds: Int, _ expected: UInt32) {
        let hint = PlayoutDelayHint()
        hint.set(milliseconds)
        #expect(hint.value == expected)
    }
}

@Suite("Repetition of keyframe requests")
struct KeyframeWaitTests {
    @Test("Keyframe requests are repeated at doubling intervals, and a received frame resets the interval")
    func rarely() {
        var wait = KeyframeWait()
        let asked = (1...20).filter { wait.isDue(packets: $0, frames: 0) }
        #expect(asked == [2, 6, 14])
        let again = (21...25).filter { wait.isDue(packets: $0, frames: 1) }
        #expect(again == [23])
    }

    @Test("No keyframe is requested while no packets arrive")
    func silence() {
        var wait = KeyframeWait()
        let asked = (1...20).filter { _ in wait.isDue(packets: 0, frames: 0) }
        #expect(asked.isEmpty)
    }
}

@Suite("Detection of repeated keyframe requests")
struct KeyframeRequestMonitorTests {
    @Test("Requests count as repeated only after five consecutive seconds with a request")
    func repeated() {
        var monitor = KeyframeRequestMonitor()
        #expect(
            (1...5).map { monitor.update(requests: $0, frames: 1) } == [false, false, false, false, true]
        )
        var paused = KeyframeRequestMonitor()
        #expect(![1, 2, 3, 3, 4, 5, 6].map { paused.update(requests: $0, frames: 1) }.contains(true))
    }
}
