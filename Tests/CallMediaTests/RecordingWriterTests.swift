import Basics
import CallCore
import Foundation
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles {
    @Suite(
        "Writing of recordings",
        .enabled(if: Tool.areInstalled, Tool.reason),
        .timeLimit(.minutes(4))
    )
    @MediaActor
    struct RecordingWriterTests {
        private static func writer(
            _ path: String,
            _ container: Container,
            _ codec: Codec,
            maximumBytes: Int = 64_000_000,
            warn: @escaping @Sendable (String) -> Void = { _ in }
        ) throws -> RecordingWriter {
            let (_, failure) = AsyncStream.makeStream(of: MediaFailure.self)
            return try RecordingWriter(
                path: path,
                container: container,
                codecs: [.video: codec, .audio: .opus],
                origin: 0,
                library: Project.library,
                maximumBytes: maximumBytes,
                failures: failure,
                warn: warn
            )
        }

        private static func write(
            _ videoSamples: [MediaSample],
            _ audioSamples: [MediaSample],
            to writer: RecordingWriter
        ) {
            let all = videoSamples.map { (RecordingTrack.video, $0) } + audioSamples.map { (.audio, $0) }
            for (track, sample) in all.sorted(by: {
                ($0.1.presentationTime ?? 0) < ($1.1.presentationTime ?? 0)
            }) {
                writer.write(sample, track: track)
            }
        }

        /// Returns the total size of the samples before `seconds`, in bytes.
        private static func bytes(_ samples: [MediaSample], before seconds: Double) -> Int {
            samples.filter { Double($0.presentationTime ?? 0) < seconds * 1e9 }.reduce(0) { $0 + $1.size }
        }

        @Test(
            "Video is written while no audio arrives",
            arguments: [
                (Container.mkv, Codec.h264), (.mkv, .vp8), (.mp4, .h264), (.webm, .vp8),
            ]
        )
        func silentAudio(_ container: Container, _ codec: Codec) async throws {
            let folder = try TemporaryFolder()
            let file = try WatchedFile(path: folder.path("a.\(container)"))
            let videoSamples = try await SampleMaker.videoSamples(codec, width: 320, height: 240, frames: 240)
            let audioSamples = try await SampleMaker.audioSamples(packets: 50)
            let writer = try Self.writer(file.path, container, codec)
            Self.write(videoSamples, audioSamples, to: writer)
            await file.reach(Self.bytes(videoSamples, before: 5.5))
            _ = try? await writer.finish()
        }

        // MP4 is not tested, because its muxer withholds audio until video resumes or the file is closed.
        @Test(
            "Audio is written while there is no video",
            arguments: [
                (Container.mkv, Codec.h264), (.mkv, .vp8), (.webm, .vp8),
            ]
        )
        func noVideo(_ container: Container, _ codec: Codec) async throws {
            let folder = try TemporaryFolder()
            let file = try WatchedFile(path: folder.path("a.\(container)"))
            let videoSamples = try await SampleMaker.videoSamples(codec, width: 160, height: 120, frames: 30)
            let audioSamples = try await SampleMaker.audioSamples(packets: 400)
            let writer = try Self.writer(file.path, container, codec)
            Self.write(videoSamples, audioSamples, to: writer)
            await file.reach(Self.bytes(videoSamples, before: 9) + Self.bytes(audioSamples, before: 5.5))
            _ = try? await writer.finish()
        }

        @Test("Samples dropped for a slow disk cause one warning, and video resumes at a keyframe")
        func tooSlow() async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("a.mkv")
            let videoSamples = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 150)
            let audioSamples = try await SampleMaker.audioSamples(packets: 250)
            let (warnings, warning) = AsyncStream.makeStream(of: String.self)
            let maximum = Self.bytes(videoSamples, before: 0.7) + Self.bytes(audioSamples, before: 0.7)
            let writer = try Self.writer(path, .mkv, .h264, maximumBytes: maximum) { warning.yield($0) }
            // Nothing is written to disk before this function suspends, so the buffer overflows.
            Self.write(Array(videoSamples[..<75]), Array(audioSamples[..<125]), to: writer)
            var iterator = warnings.makeAsyncIterator()
            #expect(await iterator.next()?.contains(path) == true)
            for (frame, packet) in zip(videoSamples[75...], audioSamples[175...]) {
                writer.write(frame, track: .video)
                writer.write(packet, track: .audio)
            }
            _ = try await writer.finish()
            warning.finish()
            #expect(await iterator.next() == nil)
            let times = try await ProbedFile.times(of: "v", in: path)
            #expect(times.contains { $0 < 0.1 })
            #expect(times.first { $0 > 0.8 }.map { abs($0 - 3) < 0.01 } == true)
        }

        @Test(
            "A track that resumes after a pause is recorded in sync",
            arguments: [Container.mkv, .mp4]
        )
        func comesBack(_ container: Container) async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("a.\(container)")
            let videoSamples = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 240)
            let audioSamples =
                try await SampleMaker.audioSamples(packets: 50)
                + (try await SampleMaker.audioSamples(packets: 100, from: 6))
            let writer = try Self.writer(path, container, .h264)
            Self.write(videoSamples, audioSamples, to: writer)
            #expect(try await abs(writer.finish() - 8) < 0.1)
            let probed = try await ProbedFile.read(path)
            #expect(probed.video?.frames == 240)
            #expect((probed.audio?.frames ?? 0) >= 145)
            let times = try await ProbedFile.times(of: "a", in: path)
            let filled = times.filter { $0 > 1.1 && $0 < 5.9 }.count
            #expect(container == .mp4 ? filled > 200 : filled == 0)
            #expect(times.filter { $0 >= 5.9 }.count >= 99)
        }

        @Test(
            "A pause of hours between two calls adds at most a few silent packets to the recording",
            arguments: [(Container.mkv, 3600.0), (.mp4, 3600), (.mp4, 360_000)]
        )
        func longPause(_ container: Container, _ pause: Double) async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("a.\(container)")
            let writer = try Self.writer(path, container, .h264)
            for start in [0, pause] {
                let videoSamples = try await SampleMaker.videoSamples(
                    .h264,
                    width: 160,
                    height: 120,
                    frames: 60,
                    from: start
                )
                Self.write(
                    videoSamples,
                    try await SampleMaker.audioSamples(packets: 100, from: start),
                    to: writer
                )
            }
            #expect(try await abs(writer.finish() - pause - 2) < 0.1)
            let probed = try await ProbedFile.read(path)
            #expect(abs(probed.duration - pause - 2) < 0.1)
            #expect(probed.video?.frames == 120)
            #expect((200...200 + 2 + Int(pause / 3600) + 2).contains(probed.audio?.frames ?? 0))
            for kind in ["v", "a"] {
                let times = try await ProbedFile.times(of: kind, in: path)
                #expect(times == times.sorted())
                #expect(times.first { $0 > pause - 0.1 }.map { abs($0 - pause) < 0.05 } == true)
            }
        }
    }
}
