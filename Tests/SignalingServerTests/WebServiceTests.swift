import Foundation
import FrontTesting
import HTTPFront
import NIOCore
import NIOHTTP1
import Testing

@testable import SignalingServer

@Suite("Web services beside signaling", .timeLimit(.minutes(4)))
struct WebServiceTests {
    /// Runs a server with a box service in a temporary folder.
    private func withBox(
        _ limit: (inout ServiceLimits) -> Void = { _ in },
        _ body: (ListeningServer, URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "box-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var box = BoxService(folder: folder.path)
        limit(&box.limits)
        try await withServer({ $0.limitsLoopback = true }, services: [box, DescriptionService()]) { server in
            try await body(server, folder)
        }
    }

    private func answer(
        _ server: ListeningServer,
        _ request: String,
        _ headers: [String] = [],
        version: String = "1.1",
        body: [UInt8] = []
    ) async throws -> String {
        try await TestConnection.with(port: server.port) { connection in
            let lines = ["\(request) HTTP/\(version)", "Host: localhost", "Connection: close"] + headers
            // In one piece: the server may have answered and closed before a second one is sent.
            let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
            try await connection.send(Array(head.utf8) + body)
            return try await connection.readToEnd()
        }
    }

    /// 20 MiB in which no two parts of 64 KiB are equal.
    private static let content: Data = {
        let block = Data((0..<65_528).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
        return (0..<320).reduce(into: Data()) { content, number in
            withUnsafeBytes(of: UInt64(number)) { content.append(contentsOf: $0) }
            content.append(block)
        }
    }()

    @Test(
        "A body of 20 MiB is passed on as it arrives, with a Content-Length or in chunks",
        arguments: [false, true]
    )
    func upload(isChunked: Bool) async throws {
        try await withBox { server, folder in
            let content = Self.content
            let reply = try await TestConnection.with(port: server.port) { connection in
                let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(content.count)"
                try await connection.send(
                    "PUT /box/a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\(length)\r\n\r\n"
                )
                #expect(try await connection.readHead() == "HTTP/1.1 100 Continue\r\n\r\n")
                for start in stride(from: 0, to: content.count, by: 100_000) {
                    let part = Array(content[start..<min(start + 100_000, content.count)])
                    let (size, end) = ("\(String(part.count, radix: 16))\r\n", "\r\n")
                    try await connection.send(isChunked ? Array(size.utf8) + part + Array(end.utf8) : part)
                }
                if isChunked { try await connection.send("0\r\n\r\n") }
                return try await connection.readHead()
            }
            #expect(reply.hasPrefix("HTTP/1.1 201 "))
            #expect(try Data(contentsOf: folder.appending(path: "a")) == content)
            while try await server.counts.services.first?.running != 0 { await Task.yield() }
            let counts = try #require(try await server.counts.services.first)
            #expect(counts.receivedBytes == content.count)
            #expect(counts.requests[.success] == 1)
        }
    }

    @Test("A body above the limit of its route is refused, before it is sent if its length is announced")
    func longBody() async throws {
        try await withBox { server, _ in
            let known = ["Content-Length: 20971521", "Expect: 100-continue"]
            #expect(try await answer(server, "PUT /box/a", known).hasPrefix("HTTP/1.1 413 "))
            let chunk = [UInt8](repeating: 1, count: 1 << 20)
            let chunks = Array("100000\r\n".utf8) + chunk + Array("\r\n".utf8)
            let reply = try await TestConnection.with(port: server.port) { connection in
                try await connection.send(
                    "PUT /box/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                )
                for _ in 0..<21 { try await connection.send(chunks) }
                return try await connection.readHead()
            }
            #expect(reply.hasPrefix("HTTP/1.1 413 "))
            #expect(try await answer(server, "GET /box/a", ["Content-Length: 1"]).hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test("A client that leaves during its upload ends the request, and does not disturb others")
    func abandonedUpload() async throws {
        try await withBox { server, _ in
            try await TestConnection.with(port: server.port) { connection in
                try await connection.send(
                    "PUT /box/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nab"
                )
                while try await server.counts.services.first?.receivedBytes != 2 { await Task.yield() }
            }
            while try await server.counts.services.first?.running != 0 { await Task.yield() }
            #expect(try await server.counts.services.first?.requests[.aborted] == 1)
            #expect(try await answer(server, "GET /healthz").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(
        "A file is sent as a whole, or only the range that the request names",
        arguments: [
            ("", "200 OK", "0123456789", nil), ("Range: bytes=2-4", "206 Partial Content", "234", "2-4/10"),
            ("Range: bytes=8-", "206 Partial Content", "89", "8-9/10"),
            ("Range: bytes=-3", "206 Partial Content", "789", "7-9/10"),
            ("Range: bytes=10-", "416 Range Not Satisfiable", "", "*/10"),
            ("Range: bytes=0-1,4-5", "200 OK", "0123456789", nil),
            ("Range: bytes=2-4\r\nIf-Range: \"other\"", "200 OK", "0123456789", nil),
        ] as [(String, String, String, String?)]
    )
    func ranges(field: String, status: String, body: String, range: String?) async throws {
        try await withBox { server, folder in
            try Data("0123456789".utf8).write(to: folder.appending(path: "a"))
            let reply = try await answer(server, "GET /box/a", field.isEmpty ? [] : [field])
            #expect(reply.hasPrefix("HTTP/1.1 \(status)\r\n"))
            #expect(reply.hasSuffix("\r\n\r\n\(body)"))
            #expect(reply.contains("Content-Length: \(body.utf8.count)\r\n"))
            if let range { #expect(reply.contains("Content-Range: bytes \(range)\r\n")) }
            #expect(range != nil || !reply.contains("Content-Range"))
        }
    }

    @Test("A HEAD request, and a conditional request for an unchanged file, are answered without a body")
    func headOfFile() async throws {
        try await withBox { server, folder in
            try Self.content.write(to: folder.appending(path: "a"))
            let head = try await answer(server, "HEAD /box/a")
            #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"))
            #expect(head.contains("Content-Length: \(Self.content.count)\r\n"))
            let tag = try #require(head.firstMatch(of: /ETag: (.*)\r\n/)?.1)
            let known = try await answer(server, "GET /box/a", ["If-None-Match: W/\(tag)"])
            #expect(known.hasPrefix("HTTP/1.1 304 ") && known.hasSuffix("\r\n\r\n"))
            #expect(try await answer(server, "GET /box/none").hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test("A large file is sent with back-pressure, so that less than 1 MiB of output is queued")
    func download() async throws {
        try await withBox { server, folder in
            try Self.content.write(to: folder.appending(path: "a"))
            try await TestConnection.with(port: server.port) { connection in
                try await connection.send("GET /box/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try await connection.readHead()
                let first = try #require(try await connection.read(10 << 20))
                let waiting = try await server.signaling.eventLoop.submit {
                    server.signaling.value.front.queues.total
                }.get()
                #expect(waiting < 1 << 20)
                let rest = try #require(try await connection.read(10 << 20))
                #expect(Data(first) + Data(rest) == Self.content)
                // The connection is used again.
                try await connection.send("GET /box/count/1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await connection.readHead().hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test(
        "A body of unknown length is chunked for HTTP/1.1, and delimited by the end of the connection for HTTP/1.0"
    )
    func parts() async throws {
        try await withBox { server, _ in
            let chunked = try await answer(server, "GET /box/count/3")
            #expect(chunked.contains("Transfer-Encoding: chunked\r\n"))
            #expect(chunked.hasSuffix("\r\n\r\n7\r\npart 0\n\r\n7\r\npart 1\n\r\n7\r\npart 2\n\r\n0\r\n\r\n"))
            let old = try await answer(server, "GET /box/count/3", version: "1.0")
            #expect(old.hasSuffix("\r\n\r\npart 0\npart 1\npart 2\n"))
            #expect(!old.contains("Transfer-Encoding") && !old.contains("Content-Length"))
            // The service fails in the middle: the body has no end.
            let broken = try await answer(server, "GET /box/count/13")
            #expect(broken.contains("part 12\n") && !broken.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test("A method that a path does not support is answered with 405 and the supported methods")
    func otherMethod() async throws {
        try await withBox { server, _ in
            let reply = try await answer(server, "DELETE /box/a")
            #expect(reply.hasPrefix("HTTP/1.1 405 "))
            #expect(reply.contains("Allow: GET, HEAD, OPTIONS, PUT\r\n"))
        }
    }
}
