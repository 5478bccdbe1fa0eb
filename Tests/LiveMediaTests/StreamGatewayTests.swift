import FoundationEssentials
import GLibKit
import LiveCore
import SoupKit
import Testing

@testable import LiveMedia

@Suite("The gateway of streams", .timeLimit(.minutes(4)))
struct StreamGatewayTests {
    private static func response(
        _ body: String,
        status: Int = 200,
        _ fields: String = "",
        length: Int? = nil
    ) -> [UInt8] {
        LocalServer.response(body, status: status, fields, length: length)
    }

    /// Calls `body` with a gateway, and with the URL of a server that answers in this way.
    private func serve(
        limit: Duration = .seconds(7),
        maximumSegment: Int = 256 << 20,
        _ answer: @escaping LocalServer.Answer,
        _ body: (StreamGateway, String) async throws -> Void
    ) async throws {
        let gateway = try await StreamGateway(limit: limit, maximumSegment: maximumSegment)
        try await LocalServer.run(answer) { url in
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { await gateway.run() }
                try await body(gateway, url)
                group.cancelAll()
            }
        }
    }

    private func load(
        _ url: String,
        through gateway: StreamGateway,
        _ headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> HTTPResponse {
        try await HTTPClient().send(HTTPRequest(await gateway.address(of: url), headers: headers))
    }

    private static func playlist(_ lines: String...) -> [UInt8] {
        response((["#EXTM3U"] + lines).joined(separator: "\n") + "\n")
    }

    /// Loads a playlist through the gateway, and returns its lines.
    private func lines(_ url: String, through gateway: StreamGateway) async throws -> [String] {
        let body = try await load(url, through: gateway).body
        return String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("URLs in a playlist are replaced by gateway URLs, resolved against the URL that responded")
    func playlist() async throws {
        try await serve { head in
            head.contains("/old/")
                ? Self.response("", status: 302, "Location: /new/live.m3u8\r\n")
                : Self.playlist(
                    "#EXT-X-MAP:URI=\"/i.mp4\"",
                    "#EXTINF:1,",
                    "a.ts?x=1",
                    "#EXTINF:1,",
                    "HTTP://h/b",
                    "#EXTINF:1,",
                    "file:///etc/passwd"
                )
        } _: { gateway, url in
            let lines = try await lines("\(url)/old/live.m3u8", through: gateway)
            let map = await gateway.address(of: "\(url)/i.mp4")
            #expect(lines[1] == "#EXT-X-MAP:URI=\"\(map)\"")
            #expect(lines[3].hasSuffix(GatewayRequest.path(of: "\(url)/new/a.ts?x=1")))
            #expect(lines[5].hasSuffix(GatewayRequest.path(of: "HTTP://h/b")))
            // An address that is not one of HTTP leads to a refusal, and not past the gateway.
            let status = try await HTTPClient().send(HTTPRequest(lines[7])).status
            #expect(lines[7].hasPrefix("http://127.0.0.1:") && status == 404)
        }
    }

    @Test("A playlist that arrives in small parts is recognized")
    func smallParts() async throws {
        try await serve { _ in
            Array(
                "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n#EX\r\n11\r\nTM3U\n#EXTINF:1,\na\r\n0\r\n\r\n"
                    .utf8
            )
        } _: { gateway, url in
            let lines = try await lines("\(url)/live.m3u8", through: gateway)
            #expect(lines.count == 3 && lines[2].hasSuffix(GatewayRequest.path(of: "\(url)/a")))
        }
    }

    @Test("A segment arrives unchanged, with its type and the requested range", arguments: [8, 300_000])
    func segment(size: Int) async throws {
        let body = String(repeating: "abcdefgh", count: size / 8)
        try await serve { head in
            if head.contains(".m3u8") { return Self.playlist("#EXTINF:1,", "a.ts") }
            let fields = "Content-Type: video/mp2t\r\nContent-Range: bytes 2-5/8\r\n"
            return head.contains("Range: bytes=2-5\r\n")
                ? Self.response("cdef", status: 206, fields) : Self.response(body)
        } _: { gateway, url in
            let address = try await lines("\(url)/live.m3u8", through: gateway)[2]
            let whole = try await HTTPClient().send(HTTPRequest(address))
            #expect(whole.status == 200 && whole.body == Array(body.utf8))
            let part = try await load("\(url)/a.ts", through: gateway, HTTPHeaders(["Range": "bytes=2-5"]))
            #expect(part.status == 206 && part.body == Array("cdef".utf8))
            #expect(part.headers["Content-Type"] == "video/mp2t")
            #expect(part.headers["Content-Range"] == "bytes 2-5/8")
            let failure = await gateway.failure
            #expect(failure == nil)
        }
    }

    @Test(
        "The demuxer's Cache-Control field and the URL of the playlist are forwarded to the server"
    )
    func headers() async throws {
        try await serve { head in
            Self.response(head)
        } _: { gateway, url in
            let playlist = await gateway.address(of: "\(url)/live.m3u8")
            let fields = HTTPHeaders(["Cache-Control": "max-age=0", "Referer": playlist])
            let seen = String(
                decoding: try await load("\(url)/a", through: gateway, fields).body,
                as: UTF8.self
            )
            #expect(seen.contains("Cache-Control: max-age=0\r\n"))
            #expect(seen.contains("Referer: \(url)/live.m3u8\r\n"))
            #expect(!seen.contains("127.0.0.1:\(playlist.split(separator: ":")[2].prefix { $0 != "/" })"))
        }
    }

    @Test(
        "A refusal by the server is passed on with its status, and a server error as 404",
        arguments: [403, 404, 412, 503]
    )
    func refusal(status: Int) async throws {
        try await serve { _ in
            Self.response("", status: status)
        } _: { gateway, url in
            let received = try await load("\(url)/a.ts", through: gateway).status
            #expect(received == (status < 500 ? status : 404))
            let failure = await gateway.failure
            #expect(failure?.reason == .unreachable)
        }
    }

    @Test("A failed load is answered with 404 and recorded", arguments: ["", "garbage", "204", "empty"])
    func unreachable(fault: String) async throws {
        try await serve { _ in
            switch fault {
            case "204": Array("HTTP/1.1 204 X\r\n\r\n".utf8)
            case "empty": Self.response("")
            default: Array("garbage\r\n\r\n".utf8)
            }
        } _: { gateway, url in
            let place = fault.isEmpty ? "http://127.0.0.1:1" : url
            let status = try await load("\(place)/a.ts", through: gateway).status
            #expect(status == 404)
            let failure = await gateway.failure
            #expect(failure?.reason == .unreachable)
        }
    }

    @Test("A request with an invalid path or an overlong head is answered with 404")
    func improper() async throws {
        try await serve { _ in
            Self.response("a")
        } _: { gateway, url in
            let base = await gateway.address(of: url).split(separator: "/").prefix(2).joined(separator: "//")
            for path in [
                "/", "/x", "/!/a", "/aHR0cDovL2g/a/b", "/" + String(repeating: "a", count: 40_000) + "/a",
            ] {
                let status = try await HTTPClient().send(HTTPRequest(base + path)).status
                #expect(status == 404)
            }
        }
    }

    @Test(
        "A truncated segment is an error for the demuxer, and the reason is recorded",
        arguments: [3, 200_000]
    )
    func broken(size: Int) async throws {
        try await serve { head in
            head.contains(".m3u8")
                ? Self.playlist("#EXTINF:1,", "a.ts")
                : Self.response(String(repeating: "a", count: size), length: size + 10)
        } _: { gateway, url in
            let address = try await lines("\(url)/live.m3u8", through: gateway)[2]
            let response = try? await HTTPClient().send(HTTPRequest(address))
            #expect(response == nil || response?.status == 404)
            let failure = await gateway.failure
            #expect(failure?.reason == .unreachable)
        }
    }

    @Test("A truncated, damaged or overlong playlist is refused as a whole", arguments: [0, 1, 2])
    func brokenPlaylist(fault: Int) async throws {
        try await serve { _ in
            switch fault {
            case 0: Self.response("#EXTM3U\n#EXTINF:1,\na\n", length: 100)
            case 1: Array(Self.response("#EXTM3U\n#EXTINF:1,\na\n", length: 22)) + [0xFF]
            default: Self.response("#EXTM3U\n#" + String(repeating: "x", count: 2 << 20))
            }
        } _: { gateway, url in
            let status = try await load("\(url)/live.m3u8", through: gateway).status
            #expect(status == 404)
            let failure = await gateway.failure
            #expect(failure?.reason == (fault == 2 ? .tooLarge : .unreachable))
        }
    }

    @Test("A segment above the size limit is refused", arguments: [true, false])
    func tooLarge(isAnnounced: Bool) async throws {
        let body = String(repeating: "x", count: 200_000)
        try await serve(maximumSegment: 100_000) { _ in
            isAnnounced
                ? Self.response(body) : Array("HTTP/1.1 200 X\r\nConnection: close\r\n\r\n\(body)".utf8)
        } _: { gateway, url in
            let response = try? await load("\(url)/a.ts", through: gateway)
            #expect(response?.status == (isAnnounced ? 404 : nil))
            let failure = await gateway.failure
            #expect(failure?.reason == .tooLarge)
        }
    }

    @Test(
        "A silent server, or one that never completes a playlist, is abandoned after the time limit",
        arguments: [true, false]
    )
    func late(isSilent: Bool) async throws {
        try await serve(limit: .milliseconds(300)) { _ in
            isSilent ? nil : Array("HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\n#EXTM3U\n#".utf8)
        } _: { gateway, url in
            let status = try await load("\(url)/live.m3u8", through: gateway).status
            #expect(status == 404)
            let failure = await gateway.failure
            #expect(failure?.reason == .unreachable)
        }
    }

    @Test("A segment request cancelled by the demuxer is not a failure, and its connection is closed")
    func givenUp() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        try await serve(limit: .seconds(50)) { _ in
            arrival.yield()
            return nil
        } _: { gateway, url in
            let address = await gateway.address(of: "\(url)/a.ts")
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await HTTPClient().send(HTTPRequest(address)) }
                for await _ in arrivals { break }
                group.cancelAll()
            }
            // The gateway waits for nothing any more.
            await gateway.finish()
            let failure = await gateway.failure
            #expect(failure == nil)
        }
    }

    @Test(
        "The full URL of a playlist is sent as the referrer only to its own server",
        arguments: [
            ("https://a/l.m3u8?token=1", "https://a/1.ts", "https://a/l.m3u8?token=1"),
            ("https://a:1/l.m3u8?token=1", "https://b/1.ts", "https://a:1/"),
            ("https://a/l.m3u8", "http://a/1.ts", nil),
            ("http://a/l.m3u8", "https://b/1.ts", "http://a/"),
        ]
    )
    func referer(playlist: String, url: String, expected: String?) {
        let fields = "Referer: http://127.0.0.1:1\(GatewayRequest.path(of: playlist))\r\n"
        let request = GatewayRequest("GET \(GatewayRequest.path(of: url)) HTTP/1.1\r\n\(fields)\r\n")
        #expect(request?.referer == expected)
    }

    @Test(
        "A URL in a playlist must not lead into a more private network than that of the playlist",
        arguments: [
            ("http://example.org/a.m3u8", "http://127.0.0.1:3000/x", false),
            ("http://example.org/a.m3u8", "http://[::1]/x", false),
            ("https://example.org/a.m3u8", "//localhost/x", false),
            ("http://203.0.113.1/a.m3u8", "http://192.168.1.1/x", false),
            ("http://192.168.1.1/a.m3u8", "http://127.0.0.1/x", false),
            ("http://192.168.1.1/a.m3u8", "http://192.168.1.2/x", true),
            ("http://127.0.0.1/a.m3u8", "http://127.0.0.1:3000/x", true),
            ("http://[::1]/a.m3u8", "http://localhost/x", true),
            ("http://127.0.0.1/a.m3u8", "https://example.org/x", true),
            ("http://example.org/a.m3u8", "x.ts", true),
        ]
    )
    func reach(playlist: String, address: String, isAllowed: Bool) {
        #expect(GatewayRequest.resolve(address, against: URL(string: playlist)).isEmpty != isAllowed)
    }

    @Test("Closing the gateway answers pending requests to a frozen server, and all later ones, with 404")
    func closing() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        try await serve(limit: .seconds(50)) { _ in
            arrival.yield()
            return nil
        } _: { gateway, url in
            async let response = load("\(url)/a.ts", through: gateway)
            for await _ in arrivals { break }
            await gateway.finish()
            let pending = try await response.status
            #expect(pending == 404)
            let status = try await load("\(url)/a.ts", through: gateway).status
            #expect(status == 404)
        }
    }

    @Test("A path that the gateway did not create is refused", arguments: ["/", "/!/a", "/aHR0/", "/x y/"])
    func foreign(path: String) {
        #expect(GatewayRequest("GET \(path) HTTP/1.1\r\n\r\n").map { !$0.url.hasPrefix("http:") } ?? true)
        #expect(GatewayRequest("POST \(path) HTTP/1.1\r\n\r\n") == nil)
    }

    @Test(
        "A URL is unchanged after it is encoded as a gateway path and decoded",
        arguments: ["http://h/a.ts", "https://h:1/ü/b?x=/&y#z", "", "http://h/???>>>"]
    )
    func carried(url: String) {
        let request = GatewayRequest(
            "GET \(GatewayRequest.path(of: url)) HTTP/1.1\r\nHost: h\r\nrange: bytes=0-1\r\n\r\n"
        )
        #expect(request?.url == url)
        #expect(request?.range == "bytes=0-1")
    }
}
