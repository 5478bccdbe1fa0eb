import Basics
import HTTPFront
import LiveCore
import LiveServer
import Logging
import SignalingServer
import SoupKit
import Testing

@Suite("The live streams of a server", .timeLimit(.minutes(1)))
struct LiveServiceTests {
    /// A packager of a fixed number of segments, which runs until it is cancelled.
    private struct Segments: LivePackager {
        let count: Int
        /// Ends when all segments have been added.
        let added: AsyncStream<Never>.Continuation

        func run(_ onSegment: @escaping @Sendable (LiveSegment) -> Void) async {
            for number in 0..<count {
                let date = Timestamp(milliseconds: Int64(number) * 1000)
                onSegment(LiveSegment([0x47, UInt8(number)], .seconds(1), date: date))
            }
            added.finish()
            for await _ in AsyncStream(Never.self, { _ in }) {}
        }
    }

    /// Runs a server with the channel `demo`, after `count` segments have been added.
    private func withServer(
        segments count: Int,
        _ body: (String, HTTPClient) async throws -> Void
    ) async throws {
        let channel = LiveChannel("demo")
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var configuration = ServerConfiguration()
        configuration.port = 0
        let (additions, added) = AsyncStream.makeStream(of: Never.self)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try await channel.run(Segments(count: count, added: added)) }
            for await _ in additions {}
            try await SignalingServer.run(
                configuration,
                services: [LiveService([channel], logger: logger), DescriptionService()],
                logger: logger
            ) { server in
                let client = HTTPClient()
                try await body(server.url, client)
                await client.close()
            }
            group.cancelAll()
        }
    }

    private func status(_ client: HTTPClient, _ url: String, method: String = "GET") async throws -> Int {
        try await client.send(HTTPRequest(url, method: method)).status
    }

    @Test("The playlist of a stream lists its newest segments, which can be loaded by their names")
    func stream() async throws {
        try await withServer(segments: 8) { url, client in
            let response = try await client.send(HTTPRequest("\(url)/demo.m3u8"))
            #expect(response.status == 200)
            #expect(response.headers["Content-Type"] == "application/vnd.apple.mpegurl")
            #expect(response.headers["Cache-Control"] == "no-cache")
            let playlist = try MediaPlaylist(String(decoding: response.body, as: UTF8.self))
            #expect(playlist.segments.map(\.uri) == (2..<8).map { "demo/\($0).ts" })
            #expect(!playlist.isEnded)
            for number in 0..<8 {
                let segment = try await client.send(HTTPRequest("\(url)/demo/\(number).ts"))
                #expect(segment.status == 200)
                #expect(segment.headers["Content-Type"] == "video/mp2t")
                #expect(segment.body == [0x47, UInt8(number)])
            }
        }
    }

    @Test("A stream without segments is idle, and all other names are unknown")
    func refusals() async throws {
        try await withServer(segments: 1) { url, client in
            let idle = try await status(client, "\(url)/demo.m3u8")
            #expect(idle == 412)
            for path in [
                "x.m3u8", "demo/7.ts", "demo/-1.ts", "demo/x.ts", "x/0.ts", "demo/0.ts/x",
                "demo/99999999999999999999.ts",
            ] {
                let unknown = try await status(client, "\(url)/\(path)")
                #expect(unknown == 404, "\(path)")
            }
            let posted = try await status(client, "\(url)/demo.m3u8", method: "POST")
            #expect(posted == 405)
            let page = try await status(client, "\(url)/")
            #expect(page == 200)
        }
    }

    @Test("Pages of other origins may not load a stream")
    func origin() async throws {
        try await withServer(segments: 3) { url, client in
            let request = HTTPRequest(
                "\(url)/demo.m3u8",
                headers: HTTPHeaders(["Origin": "https://evil.example"])
            )
            let status = try await client.send(request).status
            #expect(status == 403)
        }
    }
}
