import Foundation
import GLibKit
import Synchronization
import Testing

@testable import SoupKit

@Suite("HTTP client", .timeLimit(.minutes(4)))
struct HTTPClientTests {
    private let client = HTTPClient()

    /// Sends a request that must fail.
    private func failure(_ request: HTTPRequest, of client: HTTPClient? = nil) async throws -> HTTPFailure {
        let client = client ?? self.client
        return try await #require(throws: HTTPFailure.self) { try await client.send(request) }
    }

    @Test("Method, header fields and body reach the server, and its response comes back whole")
    func exchange() async throws {
        let server = try await TestServer { request in
            TestServer.Response(
                status: 201,
                headers: HTTPHeaders(["X-Seen": request.headers["x-token"] ?? "", "X-Path": request.path]),
                body: Array("\(request.method) ".utf8) + request.body
            )
        }
        let response = try await client.send(
            HTTPRequest(
                server.url + "/a%20b",
                method: "PUT",
                headers: HTTPHeaders(["X-Token": "secret"]),
                body: .bytes(Array("content".utf8), type: "text/plain")
            )
        )
        #expect(response.status == 201 && response.isSuccess)
        #expect(String(decoding: response.body, as: UTF8.self) == "PUT content")
        #expect(response.headers["X-SEEN"] == "secret" && response.headers["x-path"] == "/a b")
    }

    @Test("A response with an error status is returned and not thrown as an error")
    func status() async throws {
        let server = try await TestServer { _ in TestServer.Response(status: 404, body: Array("gone".utf8)) }
        let response = try await client.send(HTTPRequest(server.url))
        #expect(response.status == 404 && !response.isSuccess && response.body == Array("gone".utf8))
    }

    @Test(
        "A response body above the limit ends the request, whether its size is announced or not",
        arguments: [true, false]
    )
    func limit(isChunked: Bool) async throws {
        let server = try await TestServer { _ in
            TestServer.Response(body: [UInt8](repeating: 1, count: 200_000), isChunked: isChunked)
        }
        #expect(try await failure(HTTPRequest(server.url, limit: 199_999)) == .tooLarge(limit: 199_999))
        #expect(try await client.send(HTTPRequest(server.url, limit: 200_000)).body.count == 200_000)
    }

    @Test(
        "The password in a URL answers an authentication challenge, regardless of its protection space",
        arguments: ["Basic", "Digest"]
    )
    func challenges(scheme: String) async throws {
        let server = try await TestServer { request in
            guard request.headers["authorization"] == nil else {
                return TestServer.Response(body: Array("in".utf8))
            }
            let challenge = #"\#(scheme) realm="a", nonce="b", domain="/other http:x""#
            return TestServer.Response(status: 401, headers: HTTPHeaders(["WWW-Authenticate": challenge]))
        }
        let url = server.url.replacingOccurrences(of: "http://", with: "http://ann:secret@")
        #expect(try await client.send(HTTPRequest(url)).status == 200)
    }

    @Test("A redirect is followed only if the request allows it")
    func redirect() async throws {
        let server = try await TestServer { request in
            request.path == "/new"
                ? TestServer.Response(body: Array("here".utf8))
                : TestServer.Response(status: 302, headers: HTTPHeaders(["Location": "/new"]))
        }
        var request = HTTPRequest(server.url + "/old")
        #expect(try await client.send(request).status == 302)
        request.followsRedirects = true
        #expect(try await client.send(request).body == Array("here".utf8))
    }

    @Test("A redirect loop is reported as a redirect failure")
    func redirectInCircle() async throws {
        let server = try await TestServer { _ in
            TestServer.Response(status: 302, headers: HTTPHeaders(["Location": "/old"]))
        }
        var request = HTTPRequest(server.url + "/old")
        request.followsRedirects = true
        guard case .redirected = try await failure(request) else {
            Issue.record("another failure")
            return
        }
    }

    @Test("After a redirect, another origin receives only header fields that reveal nothing about the user")
    func redirectElsewhere() async throws {
        let seen = Mutex<[HTTPHeaders]>([])
        let other = try await TestServer { request in
            seen.withLock { $0.append(request.headers) }
            return TestServer.Response(body: Array("there".utf8))
        }
        let server = try await TestServer { [url = other.url] request in
            seen.withLock { $0.append(request.headers) }
            let place = request.path == "/near" ? "/far" : url
            return TestServer.Response(status: 307, headers: HTTPHeaders(["Location": place]))
        }
        var request = HTTPRequest(
            server.url + "/near",
            headers: HTTPHeaders(["Authorization": "Bearer a", "X-Key": "b", "Accept": "text/plain"])
        )
        request.followsRedirects = true
        #expect(try await client.send(request).body == Array("there".utf8))
        let fields = ["authorization", "x-key", "accept"]
        #expect(
            seen.withLock { $0.map { headers in fields.map { headers[$0] } } } == [
                ["Bearer a", "b", "text/plain"], ["Bearer a", "b", "text/plain"], [nil, nil, "text/plain"],
            ]
        )
    }

    @Test(
        "A request with an invalid method, address or header field is not sent",
        arguments: [
            HTTPRequest("http://127.0.0.1", method: "GET /\r\nX: 1"),
            HTTPRequest("http://127.0.0.1", method: ""),
            HTTPRequest("not an address"),
            HTTPRequest("http://127.0.0.1", headers: HTTPHeaders(["a b": "1"])),
            HTTPRequest("http://127.0.0.1", headers: HTTPHeaders(["a": "1\r\nb: 2"])),
        ]
    )
    func invalid(_ request: HTTPRequest) async throws {
        guard case .invalidRequest = try await failure(request) else {
            Issue.record("the request was sent")
            return
        }
    }

    @Test("A silent server, a closed port and a missing certificate file are reported as failures")
    func failures() async throws {
        let server = try await TestServer { _ in TestServer.Response(isWithheld: true) }
        let impatient = HTTPClient(idleLimit: .seconds(1))
        #expect(
            try await failure(HTTPRequest(server.url), of: impatient) == .timedOut(after: .seconds(1))
        )
        await server.stop()
        guard case .refused = try await failure(HTTPRequest(server.url)) else {
            Issue.record("the port is open")
            return
        }
        let distrustful = HTTPClient(trust: .file("/missing.pem"))
        await #expect(throws: HTTPFailure.self) {
            try await distrustful.send(HTTPRequest("https://127.0.0.1"))
        }
    }

    @Test("Cancelling the task ends a request that waits for its response")
    func cancellation() async throws {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let server = try await TestServer { _ in
            ask.yield()
            return TestServer.Response(isWithheld: true)
        }
        let task = Task { try await HTTPClient().send(HTTPRequest(server.url)) }
        for await _ in asked { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A response body is passed on in parts", arguments: [true, false])
    func parts(isChunked: Bool) async throws {
        let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        let server = try await TestServer { _ in
            TestServer.Response(status: 206, body: body, isChunked: isChunked)
        }
        var (status, received, count) = (0, [UInt8](), 0)
        try await client.pass(HTTPRequest(server.url)) {
            status = $0.status
        } onPart: { part in
            received += part
            count += 1
        }
        #expect(status == 206 && received == body && count > 1)
    }

    @Test("Abandoning a response from a stalled server does not delay the next request")
    func abandoned() async throws {
        struct Enough: Error {}
        let stalled = try await LoopbackListener(.ipv4)
        let server = try await TestServer()
        let url = "http://127.0.0.1:\(await stalled.port)"
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                let stream = try await stalled.accept()
                try await stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc".utf8))
                // The client closes the connection.
                while let part = try? await stream.read(), !part.isEmpty {}
            }
            await #expect(throws: Enough.self) {
                try await client.pass(HTTPRequest(url, limit: 1000)) { _ in
                } onPart: { _ in
                    throw Enough()
                }
            }
            let response = try await client.send(HTTPRequest(server.url))
            #expect(response.isSuccess)
        }
    }

    @Test("Cookies are sent back only by a client that stores them", arguments: [true, false])
    func cookies(isKept: Bool) async throws {
        let server = try await TestServer { request in
            TestServer.Response(
                headers: HTTPHeaders(["Set-Cookie": "a=1"]),
                body: Array((request.headers["Cookie"] ?? "").utf8)
            )
        }
        let client = HTTPClient(keepsCookies: isKept)
        _ = try await client.send(HTTPRequest(server.url))
        let second = try await client.send(HTTPRequest(server.url))
        #expect(second.body == Array((isKept ? "a=1" : "").utf8))
    }

    @Test("A client that has more than a hundred cookies stores no further ones")
    func manyCookies() async throws {
        let counter = Atomic(0)
        let server = try await TestServer { request in
            let number = counter.add(1, ordering: .relaxed).newValue
            var headers = HTTPHeaders()
            for index in 0..<60 { headers.add("Set-Cookie", "cookie-\(number)-\(index)=1") }
            return TestServer.Response(headers: headers, body: Array((request.headers["Cookie"] ?? "").utf8))
        }
        let client = HTTPClient(keepsCookies: true)
        for expected in [0, 60, 120, 120] {
            let sent = try await client.send(HTTPRequest(server.url)).body
            #expect(sent.split(separator: UInt8(ascii: ";")).count == expected)
        }
    }

    @Test("The client offers HTTP/1.1 and not HTTP/2")
    func protocols() async throws {
        guard TLSAuthorities.areAvailable else { return }
        let listener = try await LoopbackListener(.ipv4)
        async let hello: [UInt8] = {
            let stream = try await listener.accept()
            let bytes = try await stream.read()
            await stream.close()
            return bytes
        }()
        let url = "https://127.0.0.1:\(await listener.port)"
        _ = try await failure(HTTPRequest(url), of: HTTPClient(trust: .anybody))
        // The names of the protocols (ALPN), each after its length.
        let (first, second): ([UInt8], [UInt8]) = ([8] + Array("http/1.1".utf8), [2] + Array("h2".utf8))
        let offered = try await hello
        #expect(offered.contains(first) && !offered.contains(second))
    }

    @Test(
        "A response with one content coding is decoded, and one with several is refused",
        arguments: [
            ["gzip"], ["gzip, gzip"], ["gzip", "gzip"], [String(repeating: "gzip,", count: 6000) + "gzip"],
        ]
    )
    func codings(_ fields: [String]) async throws {
        let server = try await TestServer { _ in
            var headers = HTTPHeaders()
            for field in fields { headers.add("Content-Encoding", field) }
            return TestServer.Response(headers: headers, body: Self.compressed)
        }
        if fields == ["gzip"] {
            #expect(try await client.send(HTTPRequest(server.url)).body == Array("hello".utf8))
        } else {
            let refused = try await failure(HTTPRequest(server.url))
            #expect(refused == .malformed("its body has several content codings"))
        }
        var request = HTTPRequest(server.url)
        request.acceptsCompression = false
        #expect(try await client.send(request).body == Self.compressed)
    }

    /// The word `hello` in gzip.
    private static let compressed: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0, 0, 0,
    ]
}
