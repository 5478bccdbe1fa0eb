import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPFront

@Suite("Services of an HTTP server")
struct FrontServiceTests {
    /// A service that answers a request with its body of at most eight bytes.
    private final class Echo: FrontService {
        let sessionCount = 0
        let hasDocuments = false
        private(set) var steps: [String] = []
        private let loop: EmbeddedEventLoop

        init(_ loop: EmbeddedEventLoop) { self.loop = loop }

        func owns(_ path: String) -> Bool { path == "/echo" }

        func begin(_ exchange: HTTPExchange) { exchange.maximumBody = 8 }

        func answer(_ exchange: HTTPExchange, _ body: ByteBuffer, on handler: HTTPRequestHandler) {
            exchange.respond(HTTPReply(.ok, body: body))
        }

        func prepareShutDown() -> EventLoopFuture<Void> {
            steps.append("prepare")
            return loop.makeSucceededVoidFuture()
        }

        func closeSessions() { steps.append("close") }

        func removeSessions() { steps.append("remove") }
    }

    /// A socket that sends nothing, and counts the times when it is to be read.
    private final class StuckSocket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private(set) var reads = 0
        private var writes: [EventLoopPromise<Void>] = []

        func read(context: ChannelHandlerContext) { reads += 1 }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { writes.append(promise) }
        }

        func sendAll() { for write in writes { write.succeed() } }
    }

    private let loop = EmbeddedEventLoop()
    private let front: FrontServer
    private let echo: Echo

    init() {
        let access = AccessPolicy(host: "127.0.0.1", origins: .own, publicHosts: PublicHosts())
        front = FrontServer(
            FrontConfiguration(access: access),
            eventLoop: loop,
            tasks: RequestTasks(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        echo = Echo(loop)
        front.add(echo)
    }

    /// Sends a request over a new connection, and returns the head and the body of the response.
    private func answer(_ request: String, host: String = "localhost", body: String = "") throws -> String {
        let channel = EmbeddedChannel(loop: loop)
        try front.accept(channel)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 9), promise: nil)
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        let text = "\(request) HTTP/1.1\r\nHost: \(host)\r\n\(length)\r\n\(body)"
        try channel.writeInbound(ByteBuffer(string: text))
        loop.run()
        var answer = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { answer += String(buffer: bytes) }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        loop.run()
        return answer
    }

    @Test("A request for a service's path is answered by the service, with any method")
    func paths() throws {
        for method in ["POST", "PUT", "DELETE"] {
            let answer = try answer("\(method) /echo?a=b", body: "12345678")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n12345678"))
        }
        #expect(try answer("POST /other", body: "1").hasPrefix("HTTP/1.1 404 "))
    }

    @Test("A body that is longer than the service permits is refused")
    func longBody() throws {
        #expect(try answer("POST /echo", body: "123456789").hasPrefix("HTTP/1.1 413 "))
    }

    @Test("A request for a foreign host does not reach a service")
    func foreignHost() throws {
        #expect(try answer("POST /echo", host: "evil.example", body: "1").hasPrefix("HTTP/1.1 403 "))
        #expect(front.counts.connectionsRefused[.foreignHost] == 1)
    }

    @Test(
        "A request with ambiguous framing is refused, and its connection ends",
        arguments: [
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked\r\nContent-Length: 1",
            "Transfer-Encoding: chunked\r\nX: \(String(repeating: "\u{301}", count: 70))",
        ]
    )
    func framing(fields: String) throws { try expectRefusal(of: "HTTP/1.1", fields) }

    @Test("A chunked HTTP/1.0 request is refused, and its connection ends")
    func oldFraming() throws {
        try expectRefusal(of: "HTTP/1.0", "Connection: keep-alive\r\nTransfer-Encoding: chunked")
    }

    private func expectRefusal(of version: String, _ fields: String) throws {
        let channel = EmbeddedChannel(loop: loop)
        try front.accept(channel)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 9), promise: nil)
        let body = "1\r\nx\r\n0\r\n\r\nGET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let text = "POST /echo \(version)\r\nHost: localhost\r\n\(fields)\r\n\r\n\(body)"
        _ = try? channel.writeInbound(ByteBuffer(string: text))
        loop.run()
        var answer = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { answer += String(buffer: bytes) }
        #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("Connection: close\r\n"), "\(answer)")
        #expect(!answer.contains(" 200 "))
        _ = try? channel.finish(acceptAlreadyClosed: true)
        loop.run()
    }

    @Test(
        "After a refused upgrade request, the connection is not read any further",
        arguments: ["", "X: \(String(repeating: "\u{301}", count: 70))\r\n"]
    )
    func refusedUpgrade(field: String) throws {
        let channel = EmbeddedChannel(loop: loop)
        let socket = StuckSocket()
        try front.accept(channel)
        try channel.pipeline.syncOperations.addHandler(socket, position: .first)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 9), promise: nil)
        channel.read()
        #expect(socket.reads == 1)
        let fields = "Host: localhost\r\nConnection: upgrade\r\nUpgrade: x\r\n\(field)"
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\(fields)\r\n"))
        loop.run()
        channel.read()
        #expect(socket.reads == 1)
        socket.sendAll()
        loop.run()
        #expect(!channel.isActive)
        _ = try? channel.finish(acceptAlreadyClosed: true)
        loop.run()
    }

    @Test("A stopping server prepares its services, closes and removes sessions, and refuses connections")
    func stopping() throws {
        _ = front.shutDown()
        loop.run()
        #expect(echo.steps == ["prepare", "close", "remove"])
        #expect(throws: ChannelError.self) { try front.accept(EmbeddedChannel(loop: loop)) }
        #expect(front.counts.connectionsRefused[.draining] == 1)
    }
}
