import Basics
import CallCore
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles {
    @Suite("Outgoing streams: muting, camera off and encoders", .timeLimit(.minutes(4)))
    struct OutgoingStreamTests {
        @Test("A muted microphone sends silence with the same timestamps")
        func muted() async throws {
            let (source, audioSamples) = (SampleHub(), try await SampleMaker.audioSamples(packets: 30))
            let stream = OutgoingStream(kind: .audio, codec: .opus, from: source, encoder: nil)
            let sent = RecordedTrack(stream.hub)
            for (index, packet) in audioSamples.enumerated() {
                if index == 10 { stream.setClosed(true) }
                if index == 20 { stream.setClosed(false) }
                source.publish(packet)
            }
            #expect(sent.times == audioSamples.compactMap(\.presentationTime))
            let sizes = sent.entries.map(\.size)
            #expect(sizes[10..<20].allSatisfy { $0 == 3 })
            #expect(
                Array(sizes[..<10] + sizes[20...]) == audioSamples[..<10].map(\.size)
                    + audioSamples[20...].map(\.size)
            )
            await stream.close()
        }

        @Test("While the camera is off, no video is sent, and afterwards it resumes with a keyframe")
        func covered() async throws {
            let source = SampleHub()
            let videoSamples = try await SampleMaker.videoSamples(.vp8, width: 64, height: 64, frames: 90)
            let stream = OutgoingStream(kind: .video, codec: .vp8, from: source, encoder: nil)
            let sent = RecordedTrack(stream.hub)
            for (index, frame) in videoSamples.enumerated() {
                if index == 10 { stream.setClosed(true) }
                if index == 40 { stream.setClosed(false) }
                source.publish(frame)
            }
            let times = videoSamples.compactMap(\.presentationTime)
            #expect(sent.times == Array(times[..<10] + times[60...]))
            #expect(sent.entries[10].isKeyframe)
            await stream.close()
        }

        @Test("Turning on a camera that is already on drops no frames")
        func alreadyOpen() async throws {
            let source = SampleHub()
            let videoSamples = try await SampleMaker.videoSamples(.vp8, width: 64, height: 64, frames: 20)
            let stream = OutgoingStream(kind: .video, codec: .vp8, from: source, encoder: nil)
            let sent = RecordedTrack(stream.hub)
            for frame in videoSamples {
                stream.setClosed(false)
                source.publish(frame)
            }
            #expect(sent.times.count == 20)
            await stream.close()
            source.publish(videoSamples[0])
            #expect(sent.times.count == 20)
        }

        @Test(
            "An encoder produces a keyframe on request",
            arguments: ["h264", "h264-single", "vp8", "vp9"]
        )
        func keyframe(_ description: String) async throws {
            let (_, failures) = AsyncStream.makeStream(of: MediaFailure.self)
            let source = try await LiveSource(
                description: "videotestsrc is-live=true ! video/x-raw,format=I420,width=160,height=120,"
                    + "framerate=30/1 ! appsink name=video",
                events: SourceEvents(failed: { failures.yield($0) })
            ) { .pipeline(element: "test", message: $0) }
            let track = try #require(await source.tracks.first)
            let encoder = try await EncoderPipeline(
                track,
                with: description,
                bitrate: 300_000,
                library: Project.library,
                failures: failures
            )
            let encoded = RecordedTrack(encoder.hub)
            try await source.connectionIsUp()
            await encoded.reach(30)
            let before = encoded.entries.filter(\.isKeyframe).count
            encoder.makeKeyframe()
            await encoded.reach(45)
            #expect(before == 1)
            #expect(encoded.entries.filter(\.isKeyframe).count == 2)
            await source.close()
            await encoder.close()
        }

        @Test(
            "The Opus encoder applies the peer's parameters",
            arguments: ["useinbandfec=1", "usedtx=1", "useinbandfec=1;usedtx=1", "useinbandfec=0"]
        )
        func opus(_ parameters: String) async throws {
            let (_, failures) = AsyncStream.makeStream(of: MediaFailure.self)
            let pairs = parameters.split(separator: ";").map { $0.split(separator: "=").map(String.init) }
            let wanted = OpusFormat(
                parameters: Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
            )
            let encoder = try await EncoderPipeline(
                SourceTrack(kind: .audio, format: .raw, hub: SampleHub()),
                with: "opus",
                bitrate: 64_000,
                opus: wanted,
                library: Project.library,
                failures: failures
            )
            #expect(encoder.setting("inband-fec") == (wanted.usesInbandFEC ? 1 : 0))
            #expect(encoder.setting("dtx") == (wanted.usesDTX ? 1 : 0))
            encoder.setLoss(0.072)
            #expect(encoder.setting("packet-loss-percentage") == 8)
            await encoder.close()
        }
    }
}
