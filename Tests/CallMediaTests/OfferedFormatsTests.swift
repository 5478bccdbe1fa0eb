import Basics
import CallCore
import GStreamerKit
import Synchronization
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Reception of codecs other than the answer's")
struct OfferedFormatsTests {
    private static let offer = """
        v=0\r
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100\r
        a=rtpmap:96 H264/90000\r
        a=fmtp:96 packetization-mode=1\r
        a=rtcp-fb:96 nack pli\r
        a=rtpmap:97 VP8/90000\r
        a=rtpmap:98 rtx/90000\r
        a=fmtp:98 apt=96\r
        a=rtpmap:99 rtx/90000\r
        a=fmtp:99 apt=97\r
        a=rtpmap:100 ulpfec/90000\r
        m=audio 9 UDP/TLS/RTP/SAVPF 110 0\r
        a=rtpmap:110 OPUS/48000/2\r
        a=rtpmap:0 PCMU/8000\r

        """

    private static func accepted(_ answer: [String], in sections: Set<Int> = [0, 1]) -> [String] {
        let text = answer.joined(separator: "\r\n") + "\r\n"
        let added = OfferedFormats.added(from: offer, to: text, in: sections)
        return added.split(separator: "\r\n").map(String.init)
    }

    @Test("Other supported formats of the offer are appended to the answer, with their RTX formats")
    func added() {
        let answer = [
            "v=0", "m=video 9 UDP/TLS/RTP/SAVPF 97", "c=IN IP4 0.0.0.0", "a=rtpmap:97 VP8/90000",
            "m=audio 9 UDP/TLS/RTP/SAVPF 110", "a=rtpmap:110 OPUS/48000/2",
        ]
        #expect(
            Self.accepted(answer) == [
                "v=0", "m=video 9 UDP/TLS/RTP/SAVPF 97 96 98", "c=IN IP4 0.0.0.0", "a=rtpmap:97 VP8/90000",
                "a=rtpmap:96 H264/90000", "a=fmtp:96 packetization-mode=1", "a=rtcp-fb:96 nack pli",
                "a=rtpmap:98 rtx/90000", "a=fmtp:98 apt=96",
                "m=audio 9 UDP/TLS/RTP/SAVPF 110 0", "a=rtpmap:110 OPUS/48000/2", "a=rtpmap:0 PCMU/8000",
            ]
        )
    }

    @Test("A payload type that any section of the answer uses is not added")
    func used() {
        let answer = [
            "v=0", "m=video 9 UDP/TLS/RTP/SAVPF 97", "a=rtpmap:97 VP8/90000",
            "m=audio 9 UDP/TLS/RTP/SAVPF 96",
            "a=rtpmap:96 OPUS/48000/2",
        ]
        #expect(Self.accepted(answer)[1] == "m=video 9 UDP/TLS/RTP/SAVPF 97")
    }

    @Test("Sections that were not negotiated are unchanged")
    func unsettled() {
        let answer = [
            "v=0", "m=video 0 UDP/TLS/RTP/SAVPF 97", "m=audio 9 UDP/TLS/RTP/SAVPF 110", "m=text 0 X 1",
        ]
        #expect(Self.accepted(answer, in: [1, 2, 7])[1] == answer[1])
    }

    @Test("Video that has no consumer yet is buffered from the latest keyframe on")
    func held() async throws {
        let samples = try await SampleMaker.videoSamples(.vp8, width: 160, height: 120, frames: 5)
        for holds in [true, false] {
            let relay = CodecRelay(holds: holds)
            let passed = PassedSamples()
            _ = relay.hub.attach { sample in passed.samples.withLock { $0.append(sample) } }
            for sample in samples[1...2] + samples[0...2] { relay.pass(sample) }
            #expect(passed.samples.withLock { $0.isEmpty })
            relay.follow(true)
            relay.pass(samples[3])
            relay.pass(samples[4])
            #expect(
                passed.samples.withLock { $0.map(\.presentationTime) }
                    == samples[(holds ? 0 : 3)...].map(\.presentationTime)
            )
            relay.follow(false)
            relay.pass(samples[0])
            #expect(passed.samples.withLock { $0.count } == (holds ? 5 : 2))
        }
    }

    @Test("Frames without a consumer are buffered up to 32 MiB")
    func heldBytes() async throws {
        let sample = try #require(
            try await SampleMaker.videoSamples(.vp8, width: 160, height: 120, frames: 2).last
        )
        let large = sample.appending([UInt8](repeating: 0, count: 10 << 20))
        let relay = CodecRelay(holds: true)
        let passed = PassedSamples()
        _ = relay.hub.attach { sample in passed.samples.withLock { $0.append(sample) } }
        let first = try #require(
            try await SampleMaker.videoSamples(.vp8, width: 160, height: 120, frames: 1).first
        )
        for sample in [first, large, large, large, large] { relay.pass(sample) }
        relay.follow(true)
        relay.pass(sample)
        // The fourth large one has emptied the buffer, and nothing is buffered until a keyframe.
        #expect(passed.samples.withLock { $0.count } == 1)
    }

    @Test("A sample whose timestamp is hours away from its arrival gets the arrival time")
    func farTimes() async throws {
        let sample = try #require(try await SampleMaker.audioSamples(packets: 1).first)
        let (second, now): (UInt64, UInt64) = (1_000_000_000, 40_000_000_000_000)
        for (time, expected) in [
            (now, now), (now - 4 * second, now - 4 * second), (now + 4 * second, now + 4 * second),
            (now + 3600 * second, now), (now - 3600 * second, now), (UInt64.max - 1, now),
        ] {
            #expect(sample.shifted(to: time, decodeTime: nil).timed(near: now).presentationTime == expected)
        }
    }

    @Test("A received codec that was not expected is reported, and only the latest change is delivered")
    func changes() async {
        let codecs = IncomingCodecs()
        codecs.expect(.vp8)
        codecs.received(.vp8)
        codecs.received(.h264)
        codecs.received(.vp9)
        codecs.received(.vp9)
        codecs.finish()
        var changes = 0
        for await _ in codecs.changes { changes += 1 }
        #expect(changes == 1 && codecs.current == [.video: .vp9])
    }
}

private final class PassedSamples: Sendable {
    let samples = Mutex<[MediaSample]>([])
}
