import Basics
import CallCore
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles {
    @Suite("File sources", .enabled(if: Tool.areInstalled, Tool.reason), .timeLimit(.minutes(4)))
    @MediaActor
    struct FileSourceTests {
        private static let videoInput = "-f lavfi -i testsrc2=size=320x180:rate=30:duration=1"
        private static let audioInput = "-f lavfi -i sine=duration=1:sample_rate=48000"
        private static let videoCodec = "-c:v libx264 -profile:v baseline -g 15 -bf 0"
        private static let audioCodec = "-c:a libopus -ac 2"

        private static func open(
            _ path: String,
            _ settings: SourceSettings = SourceSettings(),
            ended: (stream: AsyncStream<String>, continuation: AsyncStream<String>.Continuation) =
                AsyncStream.makeStream()
        ) async throws -> FileSource {
            try await FileSource(
                .file(path),
                contents: try await FileProbe.read(path: path, library: Project.library),
                settings: settings,
                library: Project.library,
                events: SourceEvents(failed: { _ in }, ended: { ended.continuation.yield($0) })
            )
        }

        /// Plays a new one-second file until each track has sent this number of samples, and closes it.
        private static func play(_ name: String, _ options: String..., samples: Int) async throws
            -> [RecordedTrack]
        {
            let folder = try TemporaryFolder()
            try await Tool.ffmpeg(options.joined(separator: " "), to: folder.path(name))
            let source = try await open(folder.path(name))
            let tracks = source.tracks.map { RecordedTrack($0.hub) }
            try source.connectionIsUp()
            for track in tracks { await track.reach(samples) }
            await source.close()
            return tracks
        }

        @Test("An MP4 file loops without a gap, and its tracks stay in sync")
        func loopMP4() async throws {
            let tracks = try await Self.play(
                "short.mp4",
                Self.videoInput,
                Self.audioInput,
                Self.videoCodec,
                Self.audioCodec,
                samples: 100  // more than three repetitions of the video
            )
            let (video, audio) = (try #require(tracks.first), try #require(tracks.last))
            #expect(video.gaps.allSatisfy { abs($0 - 1000.0 / 30) < 1 })
            #expect(audio.gaps.allSatisfy { abs($0 - 20) < 1 })
            #expect(zip(video.entries, 0...).allSatisfy { $0.isKeyframe == ($1 % 15 == 0) })
        }

        @Test("A Matroska file loops with gaps of less than 12 ms")
        func loopMKV() async throws {
            let tracks = try await Self.play(
                "short.mkv",
                Self.videoInput,
                Self.audioInput,
                Self.videoCodec,
                Self.audioCodec,
                samples: 100
            )
            let (video, audio) = (try #require(tracks.first), try #require(tracks.last))
            #expect(video.gaps.allSatisfy { abs($0 - 1000.0 / 30) < 12 })
            #expect(audio.gaps.allSatisfy { $0 > 0 && $0 < 32 })
        }

        @Test("A file with only video or only audio has one track", arguments: MediaKind.allCases)
        func oneTrack(_ kind: MediaKind) async throws {
            let tracks =
                kind == .video
                ? try await Self.play("v.mp4", Self.videoInput, Self.videoCodec, samples: 40)
                : try await Self.play("a.mkv", Self.audioInput, Self.audioCodec, samples: 60)
            #expect(tracks.count == 1)
            #expect(tracks[0].times == tracks[0].times.sorted())
        }

        @Test("A second connection starts at a keyframe with a later timestamp")
        func secondConnection() async throws {
            let source = try await Self.open(Project.testVideo)
            let tracks = source.tracks.map { RecordedTrack($0.hub) }
            try source.connectionIsUp()
            await tracks[0].reach(20)
            let before = tracks[0].entries.count
            let now = MediaClock.shared.now
            try source.connectionIsUp()
            await tracks[0].reach(before + 20)
            await tracks[1].reach(60)
            await source.close()
            for track in tracks { #expect(track.times == track.times.sorted()) }
            let afterwards = tracks[0].entries.drop { $0.time < now }
            #expect(afterwards.first?.isKeyframe == true)
        }

        @Test("A file with a single frame is not repeated in a busy loop")
        func oneFrame() async throws {
            let tracks = try await Self.play(
                "frame.mp4",
                "-f lavfi -i testsrc2=size=64x64:rate=30:duration=0.03",
                Self.videoCodec,
                samples: 1
            )
            #expect(tracks[0].entries.count < 10)
        }

        @Test("A file that does not loop reports its end, and plays again for the next connection")
        func once() async throws {
            let folder = try TemporaryFolder()
            try await Tool.ffmpeg(Self.videoInput, Self.videoCodec, to: folder.path("once.mp4"))
            var settings = SourceSettings()
            settings.isPlayedOnce = true
            let ended = AsyncStream.makeStream(of: String.self)
            let source = try await Self.open(folder.path("once.mp4"), settings, ended: ended)
            let track = RecordedTrack(source.tracks[0].hub)
            var ends = ended.stream.makeAsyncIterator()
            try source.connectionIsUp()
            #expect(await ends.next() == "once.mp4")
            #expect(track.entries.count == 30)
            source.rest()
            try source.connectionIsUp()
            #expect(await ends.next() == "once.mp4")
            #expect(track.entries.count == 60)
            #expect(track.times == track.times.sorted())
            await source.close()
        }

        @Test("Each repetition starts at the keyframe before the configured start offset, without a gap")
        func startOffset() async throws {
            let folder = try TemporaryFolder()
            try await Tool.ffmpeg(Self.videoInput, Self.videoCodec, to: folder.path("late.mp4"))
            var settings = SourceSettings()
            settings.start = .milliseconds(600)
            let source = try await Self.open(folder.path("late.mp4"), settings)
            let track = RecordedTrack(source.tracks[0].hub)
            try source.connectionIsUp()
            await track.reach(40)
            await source.close()
            // Each repetition has fifteen frames, from the keyframe at half a second to the end.
            #expect(zip(track.entries, 0...).allSatisfy { $0.isKeyframe == ($1 % 15 == 0) })
            #expect(track.gaps.allSatisfy { abs($0 - 1000.0 / 30) < 1 })
        }

        @Test("A start offset beyond the end of the file is rejected")
        func startBeyondEnd() async throws {
            let folder = try TemporaryFolder()
            try await Tool.ffmpeg(Self.videoInput, Self.videoCodec, to: folder.path("short.mp4"))
            var settings = SourceSettings()
            settings.start = .seconds(60)
            await #expect(throws: MediaFailure.self) {
                try await Self.open(folder.path("short.mp4"), settings)
            }
        }

        @Test("VP8 in Matroska and WebM is sent without transcoding", arguments: ["mkv", "webm"])
        func vp8(_ container: String) async throws {
            let tracks = try await Self.play(
                "vp8.\(container)",
                Self.videoInput,
                "-c:v libvpx -deadline realtime -cpu-used 8 -g 15",
                samples: 40
            )
            #expect(tracks[0].entries.first?.isKeyframe == true)
            #expect(tracks[0].gaps.allSatisfy { $0 > 0 && $0 < 60 })
        }
    }
}
