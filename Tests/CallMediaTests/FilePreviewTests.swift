import Basics
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles {
    @Suite("Previews of files", .enabled(if: Tool.areInstalled, Tool.reason), .timeLimit(.minutes(4)))
    struct FilePreviewTests {
        private static let area = Resolution(width: 320, height: 180)

        private static func read(_ path: String, _ limit: DecodingLimit = .standard) async throws
            -> FilePreview
        {
            try await FilePreview.read(path, inside: area, library: Project.library, limit: limit)
        }

        @Test(
            "The preview of a video above the resolution limit has a duration but no picture",
            arguments: ["mp4", "mkv"]
        )
        func limit(container: String) async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("film.\(container)")
            try await Tool.ffmpeg("-i \(Project.testVideo) -c copy", to: path)
            #expect(try await Self.read(path).picture?.size == Self.area)
            let limit = DecodingLimit(Resolution(width: 640, height: 360))
            let preview = try await Self.read(path, limit)
            #expect(preview.picture == nil && preview.duration != nil)
        }

        @Test("The preview of a video whose resolution cannot be checked has a duration but no picture")
        func otherCodec() async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("film.mkv")
            let sources = "-f lavfi -i testsrc2=size=160x120:duration=1 -f lavfi -i sine=duration=1"
            try await Tool.ffmpeg("\(sources) -c:v mpeg4 -c:a libopus", to: path)
            let preview = try await Self.read(path)
            #expect(preview.picture == nil && preview.duration != nil)
        }
    }
}
