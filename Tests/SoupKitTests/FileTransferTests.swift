import Foundation
import GLibKit
import SoupKit
import Synchronization
import Testing

@Suite("File transfers over HTTP", .timeLimit(.minutes(4)))
struct FileTransferTests {
    private let client = HTTPClient()
    private static let content: [UInt8] = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

    /// Calls `body` with the path of an empty folder.
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("A file is sent as the body of a request, and the progress is reported")
    func upload() async throws {
        let received = Mutex<[UInt8]>([])
        let server = try await TestServer { request in
            received.withLock { $0 = request.body }
            return TestServer.Response(status: 204)
        }
        try await withFolder { folder in
            let path = folder + "/a"
            try Data(Self.content).write(to: URL(filePath: path))
            let progress = Mutex<[HTTPProgress]>([])
            let response = try await client.send(
                HTTPRequest(
                    server.url,
                    method: "PUT",
                    body: .file(path: path, type: "application/octet-stream")
                ),
                onProgress: { step in progress.withLock { $0.append(step) } }
            )
            #expect(response.status == 204)
            #expect(received.withLock(\.self) == Self.content)
            let steps = progress.withLock(\.self)
            #expect(steps.count > 10 && steps.last?.sent == Self.content.count)
            #expect(steps.allSatisfy { $0.sentTotal == Self.content.count })
        }
    }

    @Test("Uploading a missing file or a pipe fails, and the error names the path")
    func badUpload() async throws {
        let server = try await TestServer()
        try await withFolder { folder in
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            for name in ["missing", "pipe"] {
                let body = HTTPRequest.Body.file(path: "\(folder)/\(name)", type: "text/plain")
                let failure = await #expect(throws: HTTPFailure.self) {
                    try await client.send(HTTPRequest(server.url, method: "PUT", body: body))
                }
                guard case .file("\(folder)/\(name)", _)? = failure else {
                    Issue.record("\(name): \(String(describing: failure))")
                    continue
                }
            }
        }
    }

    @Test("A response is written to a file that only the user may read, and the progress is reported")
    func download() async throws {
        let server = try await TestServer { _ in TestServer.Response(body: Self.content) }
        try await withFolder { folder in
            let path = folder + "/a"
            try Data([1]).write(to: URL(filePath: path))
            let progress = Mutex<[HTTPProgress]>([])
            let response = try await client.download(
                HTTPRequest(server.url, limit: Self.content.count),
                to: path,
                onProgress: { step in progress.withLock { $0.append(step) } }
            )
            #expect(response.status == 200 && response.body.isEmpty)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(Self.content))
            #expect(FileStatus(path: path)?.permissions == 0o600)
            #expect(try files(in: folder) == ["a"])
            let last = progress.withLock(\.last)
            #expect(last?.received == Self.content.count && last?.receivedTotal == Self.content.count)
        }
    }

    @Test("A failed download leaves the existing file unchanged and no other file behind")
    func failedDownload() async throws {
        let server = try await TestServer { request in
            request.path == "/large"
                ? TestServer.Response(body: Self.content, isChunked: true)
                : TestServer.Response(status: 404, body: Array("gone".utf8))
        }
        try await withFolder { folder in
            let path = folder + "/a"
            try Data([1]).write(to: URL(filePath: path))
            let missing = try await client.download(HTTPRequest(server.url + "/missing"), to: path)
            #expect(missing.status == 404 && missing.body == Array("gone".utf8))
            await #expect(throws: HTTPFailure.tooLarge(limit: 100_000)) {
                try await client.download(HTTPRequest(server.url + "/large", limit: 100_000), to: path)
            }
            #expect(try files(in: folder) == ["a"])
            #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
        }
    }

    @Test("A response that is cut short leaves the existing file unchanged")
    func cutShort() async throws {
        let listener = try await LoopbackListener(.ipv4)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n"
        async let served: Void = {
            let connection = try await listener.accept()
            _ = try await connection.read()
            try await connection.write(Array((head + "part").utf8))
            await connection.close()
        }()
        try await withFolder { folder in
            let path = folder + "/a"
            try Data([1]).write(to: URL(filePath: path))
            await #expect(throws: HTTPFailure.self) {
                try await client.download(HTTPRequest("http://127.0.0.1:\(listener.port)"), to: path)
            }
            #expect(try files(in: folder) == ["a"])
            #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
        }
        try await served
    }

    @Test("A download into a folder that does not exist fails, and the error names the path")
    func missingFolder() async throws {
        let server = try await TestServer { _ in TestServer.Response(body: [1]) }
        try await withFolder { folder in
            let failure = try await #require(throws: HTTPFailure.self) {
                try await client.download(HTTPRequest(server.url), to: folder + "/b/a")
            }
            guard case .file(let path, _) = failure else { throw failure }
            #expect(path.hasPrefix(folder + "/b/a"))
        }
    }
}
