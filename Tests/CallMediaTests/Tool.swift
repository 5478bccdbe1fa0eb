import Foundation
import Testing

/// ffmpeg and ffprobe, run without blocking the pool.
enum Tool {
    static let areInstalled = ["ffmpeg", "ffprobe"].allSatisfy { name in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    static let reason: Comment = "ffmpeg and ffprobe are not installed (apt-get install ffmpeg)"

    struct Failure: Error { var status: Int32, text: String }

    /// Writes `path` with ffmpeg from lavfi sources and options.
    static func ffmpeg(_ arguments: String..., to path: String) async throws {
        let words = arguments.flatMap { $0.split(separator: " ").map(String.init) }
        _ = try await run("ffmpeg", ["-v", "error", "-y"] + words + [path])
    }

    static func run(_ name: String, _ arguments: [String]) async throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        process.standardInput = FileHandle.nullDevice
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { end.yield($0.terminationStatus) }
        try process.run()
        async let data = read(output)
        async let text = read(errors)
        var status: Int32 = -1
        for await value in ends {
            status = value
            break
        }
        let (read, complaint) = (await data, String(decoding: await text, as: UTF8.self))
        guard status == 0 else { throw Failure(status: status, text: complaint) }
        return read
    }

    private static func read(_ pipe: Pipe) async -> Data {
        let (chunks, chunk) = AsyncStream.makeStream(of: Data.self)
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                chunk.finish()
            } else {
                chunk.yield(data)
            }
        }
        return await chunks.reduce(into: Data()) { $0.append($1) }
    }
}
