import Foundation

/// `callrunner serve` in a process of its own.
struct SignalingServer {
    let url: String
    private let process: Process

    private struct Line: Decodable {
        var event: String
        var url: String?
    }

    /// Starts it and waits until it listens.
    init(_ program: URL) async throws {
        process = Process()
        process.executableURL = program
        process.arguments = ["serve", "--port", "0", "--json"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        for try await line in output.fileHandleForReading.lines {
            let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
            guard line.event == "server.listening", let url = line.url else { continue }
            self.url = url
            return
        }
        throw CancellationError()
    }

    func stop() { process.terminate() }
}

extension FileHandle {
    /// What is written, line by line.
    fileprivate var lines: AsyncStream<String> {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let buffer = LineBuffer()
        readabilityHandler = { handle in
            let data = handle.availableData
            for text in buffer.take(data) { line.yield(text) }
            if data.isEmpty {
                handle.readabilityHandler = nil
                line.finish()
            }
        }
        return lines
    }
}
