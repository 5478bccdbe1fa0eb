import HTTPFront
import Logging
import NIOCore
import NIOEmbedded
import SocketIO
import Testing

@testable import SignalingServer

/// A server on an event loop with a manual clock.
///
/// Its connections exist in memory, without sockets.
///
/// Everything runs on the test's thread. When a call returns, the server has already sent its response.
final class EngineBench {
    private let host: SignalingHost
    let loop = EmbeddedEventLoop()
    private var lines: [BenchLine] = []

    private init(_ configuration: ServerConfiguration) {
        var logger = Logger(label: "callrunner.server.test")
        logger.logLevel = .critical
        // The clock starts above zero, so that deadlines before the start of the test are not negative.
        loop.advanceTime(by: .hours(1))
        host = SignalingHost(
            configuration,
            services: [DescriptionService()],
            eventLoop: loop,
            tasks: RequestTasks(),
            logger: logger
        )
    }

    var engine: EngineServer { host.engine }

    /// Runs the server for the official test suites, but with the default intervals.
    ///
    /// Closes all connections afterwards.
    static func with(
        _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
        _ body: (EngineBench) throws -> Void
    ) throws {
        var configuration = ServerConfiguration()
        configuration.isConformanceServer = true
        configuration.maximumConnections = 1000
        try configure(&configuration)
        let bench = EngineBench(configuration)
        defer { bench.end() }
        try body(bench)
    }

    private func end() {
        for line in lines { line.cut() }
        // Runs the remaining timers, because the loop must not be released with pending ones.
        loop.advanceTime(by: .hours(1))
    }

    func advance(by time: Duration) { loop.advanceTime(by: TimeAmount(time)) }

    /// Opens a connection.
    ///
    /// If the server refuses the connection, it is returned closed.
    func connect(from address: String = "127.0.0.1") throws -> BenchLine {
        let channel = EmbeddedChannel(loop: loop)
        let address = try SocketAddress(ipAddress: address, port: 1024)
        channel.remoteAddress = address
        channel.connect(to: address, promise: nil)
        let line = BenchLine(channel)
        lines.append(line)
        do {
            try engine.front.accept(channel)
        } catch is ChannelError {
            line.cut()
        }
        return line
    }

    /// Sends a request over a new connection, and returns the connection.
    func request(
        _ method: String,
        _ target: String,
        _ headers: [String] = [],
        body: String? = nil,
        host: String = "localhost",
        from address: String = "127.0.0.1"
    ) throws -> BenchLine {
        let line = try connect(from: address)
        let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)"] + length + headers
        let head = lines.joined(separator: "\r\n")
        try line.send("\(head)\r\n\r\n\(body ?? "")")
        return line
    }

    /// Sends a request over a new connection, and returns the response.
    ///
    /// It must arrive at once.
    func answer(
        _ method: String,
        _ target: String,
        _ headers: [String] = [],
        body: String? = nil,
        host: String = "localhost",
        from address: String = "127.0.0.1"
    ) throws -> BenchReply {
        try #require(try request(method, target, headers, body: body, host: host, from: address).reply())
    }
}
