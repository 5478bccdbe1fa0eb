import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPFront

/// Services whose requests no task answers, so that they stay as they are.
@Suite("Requests that services answer in tasks")
struct RoutedServiceTests {
    private struct Held: WebService {
        let name = "held"
        let limits: ServiceLimits

        func owns(_ path: String) -> Bool { path == "/held" }

        func respond(to request: Request, _ context: WebContext) async -> Response { Response(status: .ok) }
    }

    private let loop = EmbeddedEventLoop()
    private let front: FrontServer

    init() {
        loop.advanceTime(by: .hours(1))
        let access = AccessPolicy(host: "192.0.2.9", origins: .any, publicHosts: PublicHosts())
        front = FrontServer(
            FrontConfiguration(access: access),
            eventLoop: loop,
            tasks: RequestTasks(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        var limits = ServiceLimits()
        limits.requestsAtOnce = 3
        limits.requestsAtOncePerAddress = 2
        limits.collectedBody = 1000
        front.add(Held(limits: limits))
    }

    private var running: Int { front.serviceCounts[0].running }

    private func connect(_ address: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(loop: loop)
        let address = try SocketAddress(ipAddress: address, port: 9)
        channel.remoteAddress = address
        try front.accept(channel)
        channel.connect(to: address, promise: nil)
        return channel
    }

    private func send(_ text: String, _ channel: EmbeddedChannel) throws {
        try channel.writeInbound(ByteBuffer(string: text))
        loop.run()
    }

    /// Begins a request with a body that stays incomplete.
    private func upload(from address: String, length: Int, body: String = "") throws -> EmbeddedChannel {
        let channel = try connect(address)
        try send("POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n\(body)", channel)
        return channel
    }

    /// The status line of an answer; nil if there is none yet.
    private func status(_ channel: EmbeddedChannel) throws -> String? {
        try channel.readOutbound(as: ByteBuffer.self).map {
            String(String(buffer: $0).prefix { !$0.isNewline })
        }
    }

    @Test("Clients with incomplete short bodies do not block other clients")
    func shortBodies() throws {
        let slow = try (0..<40).map { try upload(from: "192.0.2.\($0 % 4)", length: 99, body: "x") }
        #expect(running == 0 && slow.allSatisfy(\.isActive))
        let other = try connect("192.0.2.200")
        try send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n", other)
        #expect(try running == 1 && status(other) == nil)
    }

    @Test("A short body must arrive within five seconds, and its request is served when it is complete")
    func shortBodyDeadline() throws {
        let (slow, quick) = (
            try upload(from: "192.0.2.1", length: 9), try upload(from: "192.0.2.2", length: 9)
        )
        loop.advanceTime(by: .seconds(4))
        try send("123456789", quick)
        #expect(running == 1 && slow.isActive)
        #expect(front.serviceCounts[0].receivedBytes == 9)
        loop.advanceTime(by: .seconds(2))
        #expect(!slow.isActive && quick.isActive)
    }

    @Test("A body of unknown length, or above the buffering limit, is passed on without being buffered")
    func longerBodies() throws {
        _ = try upload(from: "192.0.2.1", length: 1001)
        let chunked = try connect("192.0.2.1")
        try send("POST /held HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", chunked)
        #expect(running == 2)
    }

    @Test("At the upload limit, a new upload is served, and one of the address with the most uploads ends")
    func uploads() throws {
        let first = try upload(from: "192.0.2.1", length: 5000)
        loop.advanceTime(by: .seconds(1))
        let (second, other) = (
            try upload(from: "192.0.2.1", length: 5000), try upload(from: "192.0.2.2", length: 5000)
        )
        let newcomer = try upload(from: "192.0.2.3", length: 5000)
        #expect(try status(first) == "HTTP/1.1 503 Service Unavailable")
        for channel in [second, other, newcomer] { #expect(try status(channel) == nil) }
    }

    @Test("A request that is being processed is not ended for a new upload, which is refused with 503")
    func runningRequests() throws {
        for address in ["192.0.2.1", "192.0.2.1", "192.0.2.2"] {
            try send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n", try connect(address))
        }
        let newcomer = try upload(from: "192.0.2.3", length: 5000)
        #expect(try status(newcomer) == "HTTP/1.1 503 Service Unavailable")
        #expect(running == 3)
    }
}
