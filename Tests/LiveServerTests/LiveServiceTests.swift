import Basics
import HTTPFront
import LiveCore
import Logging
import SignalingServer
import SoupKit
import Testing

@testable import LiveServer

@Suite("The live streams of a server", .timeLimit(.minutes(4)))
struct LiveServiceTests {
    /// Returns segments of one second each.
    private static func segments(_ count: Int) -> [LiveSegment] {
        (0..<count).map { number in
            let date = Timestamp(milliseconds: Int64(number) * 1000)
            return LiveSegment([0x47, UInt8(number)], .seconds(1), date: date)
        }
    }

    /// A packager of a fixed number of segments, which runs until it is cancelled.
    private struct Segments: LivePackager {
        let count: Int
        /// Ends when all segments have been added.
        let added: AsyncStream<Never>.Continuation

        func run(_ onSegment: @escaping @Sendable (LiveSegment) -> Void) async {
            for segment in LiveServiceTests.segments(count) { onSegment(segment) }
            added.finish()
            for await _ in AsyncStream(Never.self, { _ in }) {}
        }
    }

    /// A packager of three segments, which it adds when `requests` ends.
    private struct AwaitedSegments: LivePackager {
        let requests: AsyncStream<Never>

        func run(_ onSegment: @escaping @Sendable (LiveSegment) -> Void) async {
            for await _ in requests {}
            for segment in LiveServiceTests.segments(3) { onSegment(segment) }
            for await _ in AsyncStream(Never.self, { _ in }) {}
        }
    }

    /// A packager of three segments; each of its runs is counted, and ends when `mayEnd` is true.
    private struct CountedSegments: LivePackager {
        let starts = StateStore(0)
        let cancellations = StateStore(0)
        let mayEnd = StateStore(true)
        /// The number of first runs that fail.
        var failures = 0

        func run(
            _ onSegment: @escaping @Sendable (LiveSegment) -> Void
        ) async throws(LiveFailure) {
            starts.update { $0 += 1 }
            guard starts.state > failures else { throw LiveFailure(.file, "run \(starts.state)") }
            for segment in LiveServiceTests.segments(3) { onSegment(segment) }
            for await _ in AsyncStream(Never.self, { _ in }) {}
            cancellations.update { $0 += 1 }
            // A task of its own, because this one is cancelled.
            await Task { for await mayEnd in mayEnd.states where mayEnd { break } }.value
        }
    }

    /// Runs a server with the channel `demo`, after `count` segments have been added.
    private func withServer(
        segments count: Int,
        _ body: (String, HTTPClient) async throws -> Void
    ) async throws {
        let (additions, added) = AsyncStream.makeStream(of: Never.self)
        try await withServer(LiveChannel("demo")) {
            try await $0.run(Segments(count: count, added: added))
        } _: { url, client in
            for await _ in additions {}
            try await body(url, client)
        }
    }

    /// Runs a server with a channel, to which `publish` adds segments.
    private func withServer(
        _ channel: LiveChannel,
        _ publish: @escaping @Sendable (LiveChannel) async throws -> Void,
        _ body: (String, HTTPClient) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var configuration = ServerConfiguration()
        configuration.port = 0
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try await publish(channel) }
            try await SignalingServer.run(
                configuration,
                services: [
                    LiveService(logger: logger) { $0 == channel.id ? channel : nil }, DescriptionService(),
                ],
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

    @Test("A stream with too few segments is answered with 412, and unknown names with 404")
    func refusals() async throws {
        try await withServer(LiveChannel("demo")) { channel in
            for segment in Self.segments(1) { channel.add(segment) }
        } _: { url, client in
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

    @Test("A request for the playlist waits until a packager has added enough segments")
    func starting() async throws {
        let (requests, requested) = AsyncStream.makeStream(of: Never.self)
        let channel = LiveChannel("demo")
        try await withServer(channel) { channel in
            try await channel.run(AwaitedSegments(requests: requests))
        } _: { url, client in
            async let status = status(client, "\(url)/demo.m3u8")
            for await time in channel.demand.states where time != nil { break }
            requested.finish()
            let waited = try await status
            #expect(waited == 200)
        }
    }

    @Test("A stream does not end when its server shuts down, so that players connect again")
    func shutdown() async throws {
        let (added, adds) = AsyncStream.makeStream(of: Never.self)
        let channel = LiveChannel("demo")
        let run = Task { try await channel.run(Segments(count: 3, added: adds)) }
        for await _ in added {}
        run.cancel()
        _ = await run.result
        #expect(await channel.playlist()?.contains("#EXT-X-ENDLIST") == false)
    }

    private func playlist(_ client: HTTPClient, _ url: String) async throws -> MediaPlaylist {
        let response = try await client.send(HTTPRequest(url))
        return try MediaPlaylist(String(decoding: response.body, as: UTF8.self))
    }

    @Test("An on-demand stream starts with a request, stops without requests, and starts again")
    func onDemand() async throws {
        let packager = CountedSegments()
        packager.mayEnd.update { $0 = false }
        try await withServer(LiveChannel("demo", isOnDemand: true)) {
            await $0.runOnDemand(packager, idleLimit: .seconds(1)) { Issue.record("\($0)") }
        } _: { url, client in
            #expect(packager.starts.state == 0)
            let first = try await playlist(client, "\(url)/demo.m3u8")
            #expect(first.firstNumber == 0 && packager.starts.state == 1)
            for await count in packager.cancellations.states where count == 1 { break }
            // The packager is still ending, and its segments are no longer offered.
            async let second = playlist(client, "\(url)/demo.m3u8")
            let gone = try await status(client, "\(url)/demo/2.ts")
            #expect(gone == 404)
            packager.mayEnd.update { $0 = true }
            let next = try await second
            #expect(next.firstNumber == 3 && !next.isEnded)
            #expect(next.segments.first?.isDiscontinuous == true)
            #expect(packager.starts.state == 2)
        }
    }

    @Test("A failed on-demand stream is idle, and starts again with a later request")
    func failingOnDemand() async throws {
        var packager = CountedSegments()
        packager.failures = 1
        let failures = StateStore<[String]>([])
        try await withServer(LiveChannel("demo", isOnDemand: true)) { [packager] channel in
            await channel.runOnDemand(packager, retryPause: .milliseconds(100)) { failure in
                failures.update { $0.append(failure.message) }
            }
        } _: { url, client in
            let first = try await status(client, "\(url)/demo.m3u8")
            // A request during the pause begins another run after it.
            _ = try await status(client, "\(url)/demo.m3u8")
            for await starts in packager.starts.states where starts == 2 { break }
            let last = try await status(client, "\(url)/demo.m3u8")
            #expect(first == 412 && last == 200)
            #expect(failures.state == ["run 1"])
        }
    }

    @Test(
        "The time limit to read a segment is three times its duration, but at least ten seconds",
        arguments: [(1.0, 10), (10.0, 30), (0.1, 10)]
    )
    func timeToRead(duration: Double, seconds: Int) {
        let segment = LiveSegment([0x47], .seconds(duration), date: Timestamp(milliseconds: 0))
        #expect(LiveService.timeToRead(segment) == .seconds(seconds))
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
