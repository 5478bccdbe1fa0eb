import Foundation
import HTTPFront
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import SignalingServer

@Suite("Pages of a server", .timeLimit(.minutes(4)))
struct PageServiceTests {
    /// Runs `body` with a web page in a temporary folder that also contains files which must not be served.
    private func withPage(_ body: (PageService) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID())")
        defer { try? FileManager.default.removeItem(at: root) }
        let page = root.appending(path: "web")
        try FileManager.default.createDirectory(
            at: page.appending(path: "js"),
            withIntermediateDirectories: true
        )
        for (name, text) in [
            ("secret.txt", "secret"), ("web/index.html", "<!doctype html>index"),
            ("web/js/call.js", "export {};"), ("web/js/index.html", "js"), ("web/.hidden", "secret"),
            ("web/a b.svg", "<svg/>"),
        ] {
            try Data(text.utf8).write(to: root.appending(path: name))
        }
        for (link, target) in [("link.txt", "../secret.txt"), ("up", "..")] {
            let path = page.appending(path: link).path
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        }
        let files: PageFiles = try #require(try await PageFiles.read(from: page.path))
        try await body(Self.routes(files))
    }

    private static func routes(_ page: PageFiles?, _ monitor: ServerMonitor = ServerMonitor())
        -> PageService
    {
        PageService(monitor: monitor, page: page, version: "1.2.3", logger: Logger(label: "test"))
    }

    private func get(_ routes: PageService, _ uri: String, _ fields: HTTPFields = [:]) async -> Page {
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: uri, headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let context = WebContext(source: WebContext.Source(logger: Logger(label: "test")))
        let response = await routes.respond(to: request, context)
        let body = CollectingWriter()
        try? await response.body.write(body)
        return Page(status: response.status, headers: response.headers, body: body.bytes)
    }

    private struct Page {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let body: ByteBuffer
    }

    private final class CollectingWriter: ResponseBodyWriter {
        private(set) var bytes = ByteBuffer()

        func write(_ buffer: ByteBuffer) async throws { bytes.writeImmutableBuffer(buffer) }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test(
        "Each file of the web page is served with its media type",
        arguments: [
            ("/", "text/html; charset=utf-8", "<!doctype html>index"),
            ("/?room=1&name=Ann", "text/html; charset=utf-8", "<!doctype html>index"),
            ("/index.html", "text/html; charset=utf-8", "<!doctype html>index"),
            ("/js/call.js", "text/javascript; charset=utf-8", "export {};"),
            ("/js/", "text/html; charset=utf-8", "js"),
            ("/a%20b.svg", "image/svg+xml", "<svg/>"),
        ]
    )
    func files(uri: String, type: String, body: String) async throws {
        try await withPage { routes in
            let response = await get(routes, uri)
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == type)
            #expect(String(buffer: response.body) == body)
        }
    }

    @Test(
        "Hidden files, symbolic links and files outside the folder of the web page are not served",
        arguments: [
            "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/js/../../secret.txt",
            "//secret.txt",
            "/link.txt", "/up/secret.txt", "/.hidden", "/index.html%00.txt", "/no-such.html", "/js",
            "/\\..\\x",
            "/%", "/healthz/x", "/index.html/", "*",
        ]
    )
    func outside(uri: String) async throws {
        try await withPage { routes in
            let response = await get(routes, uri)
            #expect(response.status == .notFound || response.status == .badRequest)
            #expect(!String(buffer: response.body).contains("secret"))
        }
    }

    @Test("A conditional request with the current ETag of a file is answered with 304")
    func entityTags() async throws {
        try await withPage { routes in
            let first = await get(routes, "/js/call.js")
            let tag = try #require(first.headers[.eTag])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
            for condition in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let again = await get(routes, "/js/call.js", [.ifNoneMatch: condition])
                #expect(again.status == .notModified)
                #expect(again.headers[.eTag] == tag)
                #expect(again.body.readableBytes == 0)
            }
            #expect(await get(routes, "/js/call.js", [.ifNoneMatch: "\"x\""]).status == .ok)
            #expect(await get(routes, "/", [.ifNoneMatch: tag]).status == .ok)
            #expect(first.headers[.cacheControl] == "no-cache")
        }
    }

    @Test("The headers permit the web page to load only its own files and to use camera and microphone")
    func securityHeaders() async throws {
        try await withPage { routes in
            let headers = await get(routes, "/").headers
            let policy = try #require(headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'self'"))
            #expect(policy.contains("connect-src 'self';"))
            #expect(policy.contains("require-trusted-types-for 'script'"))
            #expect(headers[.xContentTypeOptions] == "nosniff")
            #expect(headers[try #require(HTTPFields.Element.Name("Referrer-Policy"))] == "no-referrer")
            let permissions = try #require(headers[HTTPFields.Element.Name("Permissions-Policy") ?? .accept])
            #expect(permissions.contains("camera=(self), microphone=(self)"))
        }
    }

    @Test("If the web page is not installed, the root reports that, and other paths are not found")
    func withoutPage() async throws {
        #expect(try await PageFiles.read(from: "/no/such/folder") == nil)
        let routes = Self.routes(nil)
        let root = await get(routes, "/")
        #expect(root.status == .ok)
        #expect(String(buffer: root.body).contains("the web page is not installed"))
        #expect(await get(routes, "/index.html").status == .notFound)
    }

    @Test("Without a running signaling server, /readyz is 503 and /metrics has no signaling metrics")
    func withoutServer() async throws {
        let routes = Self.routes(nil)
        #expect(await get(routes, "/readyz").status == .serviceUnavailable)
        let metrics = await get(routes, "/metrics")
        #expect(metrics.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        let text = String(buffer: metrics.body)
        #expect(text.contains("callrunner_build_info{version=\"1.2.3\"} 1\n"))
        #expect(text.contains("process_open_fds "))
        #expect(!text.contains("callrunner_rooms"))
    }

    @Test("A running server reports its health, readiness and metrics")
    func running() async throws {
        let monitor = ServerMonitor()
        let routes = Self.routes(nil, monitor)
        var configuration = ServerConfiguration()
        configuration.port = 0
        let logger = Logger(label: "test")
        try await SignalingServer.run(configuration, services: [routes], monitor: monitor, logger: logger) {
            server in
            try await TestPeer.with(server, as: "Ann", true) { _ in
                #expect(try await request(server, "/readyz").hasSuffix("\r\n\r\nready\n"))
                let health = try await request(server, "/healthz")
                #expect(health.contains(#"{"status":"ok","connections":2,"rooms":1}"#))
                let metrics = try await request(server, "/metrics")
                #expect(metrics.contains("\ncallrunner_rooms 1\n"))
                #expect(metrics.contains("\ncallrunner_connections 2\n"))
                let head = try await request(server, "/healthz", method: "HEAD")
                #expect(head.contains("Content-Length: 42\r\n") && head.hasSuffix("\r\n\r\n"))
            }
        }
        #expect(await get(routes, "/readyz").status == .serviceUnavailable)
    }

    private func request(_ server: ListeningServer, _ path: String, method: String = "GET") async throws
        -> String
    {
        try await TestConnection.with(port: server.port) { connection in
            try await connection.send(
                "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            return try await connection.readToEnd()
        }
    }
}
