import Basics
import Foundation
import GStreamerKit
import LiveCore
import LiveMedia
import MediaKit
import Synchronization
import Testing

@Suite("Sending of media from URLs", .serialized, .timeLimit(.minutes(4)))
struct WebMediaLoaderTests {
    private static let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.aac\n#EXT-X-ENDLIST\n"

    /// Opens a URL as the source of a call, and returns the notice about it.
    @MediaActor
    private func open(_ url: String) async throws -> MediaNotice {
        let request = SourceRequest(
            choice: .url(url),
            settings: SourceSettings(),
            testVideo: Project.testVideo,
            kinds: Set(MediaKind.allCases),
            preferredCamera: nil,
            library: Project.library,
            webMedia: WebMediaLoader()
        )
        let opener = SourceOpener(request: request, events: SourceEvents(failed: { _ in }), notify: { _ in })
        let opened = try await opener.open()
        await opened.source.close()
        return opened.notice
    }

    /// Opens the path of a server, and returns the reason why that fails.
    ///
    /// The server gets the path, the number of its request and its own URL; nobody may ask for a path with “secret”.
    private func failure(
        opening path: String,
        _ answer: @escaping @Sendable (_ path: String, _ number: Int, _ url: String) -> [UInt8]
    ) async throws -> String {
        let asked = Mutex<[String]>([])
        var message = ""
        try await LocalServer.run { head in
            let path = LocalServer.path(of: head)
            let number = asked.withLock { asked in
                asked.append(path)
                return asked.count { $0 == path }
            }
            return answer(path, number, LocalServer.url(in: head))
        } _: { url in
            do { _ = try await open(url + path) } catch let failure as MediaFailure {
                message = failure.sentence
            }
        }
        let isBypassed = asked.withLock { $0.contains { $0.contains("secret") } }
        #expect(!isBypassed)
        return message
    }

    private static func film() throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: Project.testVideo)))
    }

    @Test("The media of an HLS playlist is loaded through the gateway and sent unchanged")
    func hls() async throws {
        let (segments, segment) = AsyncStream.makeStream(of: LiveSegment.self)
        let packager = Task {
            try await FilePackager(Project.testVideo, library: Project.library, isHurried: true).run {
                segment.yield($0)
            }
        }
        var parts: [[UInt8]] = []
        for await segment in segments {
            parts.append(segment.bytes)
            if parts.count == 2 { break }
        }
        packager.cancel()
        let playlist =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n0.ts\n#EXTINF:1,\n1.ts\n#EXT-X-ENDLIST\n"
        try await LocalServer.run { [parts] head in
            switch LocalServer.path(of: head) {
            case "/0.ts": LocalServer.response(parts[0])
            case "/1.ts": LocalServer.response(parts[1])
            default: LocalServer.response(playlist)
            }
        } _: { url in
            let notice = try await open("\(url)/live.m3u8")
            guard case .source("url", "\(url)/live.m3u8", .untouched?, _, _) = notice else {
                Issue.record("\(notice)")
                return
            }
        }
    }

    @Test("A redirect of a file's URL is followed at the start, but not later")
    func redirects() async throws {
        let film = try Self.film()
        let failure = try await failure(opening: "/film") { path, number, _ in
            switch path {
            case "/film": LocalServer.response("", status: 302, "Location: /real\r\n")
            case "/real" where number > 1: LocalServer.response("", status: 302, "Location: /secret\r\n")
            default: LocalServer.response(film)
            }
        }
        #expect(failure.contains("/film cannot be played"))
    }

    @Test("A DASH manifest is refused")
    func manifest() async throws {
        let failure = try await failure(opening: "/film") { _, _, url in
            LocalServer.response(HostileStreamTests.List.dash.text(naming: url))
        }
        #expect(failure.contains("only HLS is supported"))
    }

    @Test(
        "A file that turns into a list of addresses after its check is refused",
        arguments: HostileStreamTests.List.allCases
    )
    func change(_ list: HostileStreamTests.List) async throws {
        let film = try Self.film()
        let failure = try await failure(opening: "/film") { _, number, url in
            number > 1 ? LocalServer.response(list.hidden(naming: url)) : LocalServer.response(film)
        }
        #expect(failure.contains("a list of other addresses"))
    }

    @Test(
        "A playlist that hides a list of addresses behind an ID3 tag after its check is refused",
        arguments: HostileStreamTests.List.allCases
    )
    func changedPlaylist(_ list: HostileStreamTests.List) async throws {
        let failure = try await failure(opening: "/live.m3u8") { _, number, url in
            LocalServer.response(number > 1 ? list.hidden(naming: url) : Self.playlist)
        }
        #expect(failure.contains("there is no playlist"))
    }

    @Test(
        "A segment that hides a list of addresses behind an ID3 tag is refused",
        arguments: HostileStreamTests.List.allCases
    )
    func segment(_ list: HostileStreamTests.List) async throws {
        let failure = try await failure(opening: "/live.m3u8") { path, _, url in
            LocalServer.response(path == "/live.m3u8" ? Self.playlist : list.hidden(naming: url))
        }
        #expect(failure.contains("only lists other addresses"))
    }
}
