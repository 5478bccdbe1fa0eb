import Foundation
import Subprocess
import Testing

/// Runs ffmpeg and ffprobe without blocking the thread pool.
enum Tool {
    static let areInstalled = ["ffmpeg", "ffprobe"].allSatisfy { name in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    static let reason: Comment = "ffmpeg and ffprobe are not installed (apt-get install ffmpeg)"

    struct Failure: Error { var status: TerminationStatus, text: String }

    /// Runs ffmpeg with these inputs and options, and the output file `path`.
    static func ffmpeg(_ arguments: String..., to path: String) async throws {
        let words = arguments.flatMap { $0.split(separator: " ").map(String.init) }
        _ = try await run("ffmpeg", ["-v", "error", "-y"] + words + [path])
    }

    static func run(_ name: String, _ arguments: [String]) async throws -> Data {
        let result = try await Subprocess.run(
            .name(name),
            arguments: Arguments(arguments),
            output: .data(limit: 64 << 20),
            error: .string(limit: 1 << 20)
        )
        guard result.terminationStatus.isSuccess else {
            throw Failure(status: result.terminationStatus, text: result.standardError)
        }
        return result.standardOutput
    }
}
