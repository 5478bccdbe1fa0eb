import Basics
import CallCore
import Foundation
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles {
    @Suite("Probing of files", .enabled(if: Tool.areInstalled, Tool.reason), .timeLimit(.minutes(4)))
    @MediaActor
    struct FileProbeTests {
        private static let videoInput = "-f lavfi -i testsrc2=size=160x120:rate=25:duration=1"
        private static let audioInput = "-f lavfi -i sine=duration=1:sample_rate=48000"

        private static func probe(_ name: String, _ options: String...) async throws -> FileContents {
            let folder = try TemporaryFolder()
            try await Tool.ffmpeg(options.joined(separator: " "), to: folder.path(name))
            return try await FileProbe.read(path: folder.path(name), library: Project.library)
        }

        private static func obstacles(_ contents: FileContents) -> [String?] {
            [contents.video, contents.audio].map { $0.flatMap(FileContents.obstacle) }
        }

        @Test("Both tracks of the test video can be sent without transcoding")
        func testVideo() async throws {
            let contents = try await FileProbe.read(path: Project.testVideo, library: Project.library)
            #expect(contents.video?.codec == .h264)
            #expect(contents.audio?.codec == .opus)
            #expect(Self.obstacles(contents) == [nil, nil])
        }

        @Test("B-frames are detected in MP4 and Matroska", arguments: ["mp4", "mkv"])
        func reordered(_ container: String) async throws {
            let contents = try await Self.probe(
                "b.\(container)",
                Self.videoInput,
                "-c:v libx264 -bf 3 -b_strategy 0"
            )
            #expect(contents.video?.isReordered == true)
            #expect(Self.obstacles(contents)[0] == "H.264 with B-frames")
            #expect(contents.audio == nil)
        }

        @Test("H.264 without B-frames is sent without transcoding", arguments: ["baseline", "main", "high"])
        func profiles(_ profile: String) async throws {
            let contents = try await Self.probe(
                "p.mp4",
                Self.videoInput,
                "-c:v libx264 -bf 0 -profile:v \(profile)"
            )
            #expect(Self.obstacles(contents)[0] == nil)
        }

        @Test("An unsupported H.264 profile is reported as a reason for transcoding")
        func unusualProfile() async throws {
            let contents = try await Self.probe(
                "p.mp4",
                Self.videoInput,
                "-c:v libx264 -bf 0 -pix_fmt yuv444p"
            )
            #expect(Self.obstacles(contents)[0]?.contains("profile") == true)
        }

        @Test("HEVC and AAC are reported as reasons for transcoding")
        func otherCodecs() async throws {
            let contents = try await Self.probe(
                "other.mp4",
                Self.videoInput,
                Self.audioInput,
                "-c:v libx265 -x265-params log-level=none -c:a aac"
            )
            #expect(Self.obstacles(contents)[0]?.contains("H.265") == true)
            #expect(Self.obstacles(contents)[1]?.contains("AAC") == true)
        }

        @Test(
            "Opus with more than two channels cannot be sent without transcoding",
            arguments: [(1, true), (2, true), (6, false)]
        )
        func channels(_ count: Int, _ passes: Bool) async throws {
            let contents = try await Self.probe("a.mkv", Self.audioInput, "-c:a libopus -ac \(count)")
            #expect(contents.video == nil)
            #expect((Self.obstacles(contents)[1] == nil) == passes)
        }

        @Test(
            "Rotated video cannot be sent without transcoding",
            arguments: [90, 180, 0]
        )
        func turned(_ angle: Int) async throws {
            let folder = try TemporaryFolder()
            try await Tool.ffmpeg(Self.videoInput, "-c:v libx264 -bf 0", to: folder.path("upright.mp4"))
            try await Tool.ffmpeg(
                "-i \(folder.path("upright.mp4")) -c copy -metadata:s:v rotate=\((360 - angle) % 360)",
                to: folder.path("turned.mp4")
            )
            let contents = try await FileProbe.read(path: folder.path("turned.mp4"), library: Project.library)
            #expect(Self.obstacles(contents)[0] == (angle == 0 ? nil : "video rotated by \(angle)°"))
        }

        @Test("A second audio track and subtitles are ignored")
        func manyTracks() async throws {
            let folder = try TemporaryFolder()
            let subtitles = folder.path("s.srt")
            try "1\n00:00:00,900 --> 00:00:01,000\nlate\n".write(
                toFile: subtitles,
                atomically: true,
                encoding: .utf8
            )
            try await Tool.ffmpeg(
                Self.videoInput,
                Self.audioInput,
                Self.audioInput,
                "-i \(subtitles) -map 0 -map 1 -map 2 -map 3 -c:v libx264 -bf 0 -c:a libopus -c:s srt",
                to: folder.path("many.mkv")
            )
            let contents = try await FileProbe.read(path: folder.path("many.mkv"), library: Project.library)
            #expect(contents.video?.codec == .h264)
            #expect(contents.audio?.codec == .opus)
        }

        @Test("The streams of a truncated file are found")
        func truncated() async throws {
            let folder = try TemporaryFolder()
            try await Tool.ffmpeg(Self.videoInput, "-c:v libx264 -bf 0 -g 10", to: folder.path("whole.mkv"))
            let whole = try Data(contentsOf: URL(filePath: folder.path("whole.mkv")))
            try whole.prefix(whole.count / 2).write(to: URL(filePath: folder.path("half.mkv")))
            let contents = try await FileProbe.read(path: folder.path("half.mkv"), library: Project.library)
            #expect(contents.video?.codec == .h264)
        }

        @Test(
            "A file without media is rejected, and the error names its path",
            arguments: [
                Data(), Data("not a video".utf8), Data(repeating: 0, count: 100_000), Data("ftypisom".utf8),
                Data([0, 0, 0, 24]) + Data("ftypisom".utf8) + Data(repeating: 0xFF, count: 5000),
            ]
        )
        func noMedium(_ content: Data) async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("odd.mp4")
            try content.write(to: URL(filePath: path))
            await #expect {
                try await FileProbe.read(path: path, library: Project.library)
            } throws: { error in
                guard case MediaFailure.source(let message, let hint) = error else { return false }
                return message.contains(path) && !hint.isEmpty
            }
        }

        @Test("A still image is rejected as a source")
        func still() async throws {
            let folder = try TemporaryFolder()
            try await Tool.ffmpeg(
                "-f lavfi -i testsrc2=size=64x64:duration=0.04",
                to: folder.path("still.png")
            )
            await #expect(throws: MediaFailure.self) {
                try await FileProbe.read(path: folder.path("still.png"), library: Project.library)
            }
        }
    }
}
