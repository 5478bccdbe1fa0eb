import Foundation
import Subprocess

/// A `callrunner serve` process.
struct SignalingServer {
    let url: String

    private struct Line: Decodable {
        var event: String
        var url: String?
    }

    /// Runs the server while `body` runs.
    static func run(
        _ program: URL,
        arguments: [String] = [],
        body: (SignalingServer) async throws -> Void
    ) async throws {
        _ = try await Subprocess.run(
            .path(.init(program.path)),
            arguments: .init(["serve", "--port", "0", "--json"] + arguments),
            input: .none,
            output: .sequence,
            error: .discarded
        ) { process in
            for try await line in process.standardOutput.strings() {
                let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
                guard line.event == "server.listening", let url = line.url else { continue }
                try await body(SignalingServer(url: url))
                break
            }
            try process.send(signal: .terminate)
        }
    }
}
