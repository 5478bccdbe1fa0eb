import FrontParsers
import HTTPFront
import NIOEmbedded
import Testing

@testable import SignalingServer

@Suite("Disconnect reasons")
struct DisconnectReasonTests {
    /// A delegate that records why its session ended.
    private final class Witness: EngineSessionDelegate {
        var reasons: [DisconnectReason] = []

        func session(didReceive message: FramedMessage) {}

        func sessionDidClose(_ reason: DisconnectReason) { reasons.append(reason) }
    }

    /// Runs `body`, which ends the session, and returns the reported reason.
    private func reason(
        over kind: TransportKind,
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (EngineBench, EngineSession, BenchPolling, BenchSocket?) throws -> Void
    ) throws -> String? {
        let witness = Witness()
        try EngineBench.with(configure) { bench in
            let session = EngineSession(bench.engine, .polling, allowance: nil)
            bench.engine.add(session)
            let transport = PollingTransport(session: session, engine: bench.engine)
            session.open(on: transport, for: witness, joinTimeout: bench.engine.configuration.connectTimeout)
            let polling = BenchPolling(bench, sid: session.id.text)
            _ = try polling.poll()
            let socket = kind == .websocket ? try polling.probe() : nil
            try socket?.send("5")
            #expect(witness.reasons.isEmpty)
            try body(bench, session, polling, socket)
            bench.loop.run()
            #expect(bench.engine.counts.sessions[.websocket] + bench.engine.counts.sessions[.polling] <= 1)
        }
        #expect(witness.reasons.count == 1)
        return witness.reasons.first?.rawValue
    }

    @Test(
        "A close packet or an invalid packet over polling ends the session with the matching reason",
        arguments: [
            ("1", "client close"), ("9", "parse error"), ("", "parse error"), ("2", "transport error"),
        ]
    )
    func packets(body: String, expected: String) throws {
        #expect(try reason(over: .polling) { _, _, polling, _ in _ = try polling.post(body) } == expected)
    }

    @Test(
        "A close packet or an invalid packet over WebSocket ends the session with the matching reason",
        arguments: [
            ("1", "client close"), ("9", "parse error"), ("", "parse error"), ("2", "transport error"),
        ]
    )
    func frames(text: String, expected: String) throws {
        #expect(try reason(over: .websocket) { _, _, _, socket in try socket?.send(text) } == expected)
    }

    @Test("An aborted GET and a second simultaneous GET are transport errors", arguments: [true, false])
    func transportError(isGivenUp: Bool) throws {
        let reason = try reason(over: .polling) { _, _, polling, _ in
            let get = try polling.get()
            if isGivenUp { get.cut() } else { _ = try polling.get() }
        }
        #expect(reason == "transport error")
    }

    @Test("A lost WebSocket is reported as “transport close”, a protocol violation as “transport error”")
    func socket() throws {
        #expect(try reason(over: .websocket) { _, _, _, socket in socket?.line.cut() } == "transport close")
        let breach = try reason(over: .websocket) { _, _, _, socket in
            try socket?.sendFrame(0x81, [0x34], isMasked: false)
        }
        #expect(breach == "transport error")
    }

    @Test("A WebSocket close frame from the client is reported as “client close”")
    func closeFrame() throws {
        let reason = try reason(over: .websocket) { _, _, _, socket in
            try socket?.sendFrame(0x88, [0x03, 0xE8])
        }
        #expect(reason == "client close")
    }

    @Test("A missing pong is reported as “ping timeout”", arguments: [TransportKind.polling, .websocket])
    func pingTimeout(kind: TransportKind) throws {
        let reason = try reason(over: kind, { $0.connectTimeout = .seconds(600) }) { bench, _, _, _ in
            bench.advance(by: .seconds(46))
        }
        #expect(reason == "ping timeout")
    }

    @Test("A missing join ends with “forced server close”", arguments: [TransportKind.polling, .websocket])
    func joinTimeout(kind: TransportKind) throws {
        let reason = try reason(over: kind, { $0.connectTimeout = .seconds(5) }) { bench, _, _, _ in
            bench.advance(by: .seconds(6))
        }
        #expect(reason == "forced server close")
    }

    @Test("A shutdown is reported as “server shutting down”", arguments: [TransportKind.polling, .websocket])
    func shutdown(kind: TransportKind) throws {
        let reason = try reason(over: kind) { bench, _, _, socket in
            _ = bench.engine.front.shutDown()
            try socket?.expect(.text("1"))
            try socket?.expect(.close(1001))
        }
        #expect(reason == "server shutting down")
    }

    @Test(
        "A client that does not read the server's output is reported as “slow consumer”",
        arguments: [TransportKind.polling, .websocket]
    )
    func slowConsumer(kind: TransportKind) throws {
        let reason = try reason(over: kind, { $0.maximumQueuedBytes = 10_000 }) { bench, session, _, socket in
            socket?.line.setWritable(false)
            for _ in 0..<9 {
                session.send(FramedMessage(opcode: .text, [UInt8](repeating: 0x34, count: 1000)))
            }
            bench.loop.run()
            #expect(!session.isClosed)
            for _ in 0..<2 {
                session.send(FramedMessage(opcode: .text, [UInt8](repeating: 0x34, count: 1000)))
            }
            bench.loop.run()
            #expect(session.isClosed)
            #expect(bench.engine.counts.front.slowConsumersClosed[.queueFull] == 1)
            #expect(bench.engine.sessions.isEmpty)
        }
        #expect(reason == "slow consumer")
    }

    @Test("A client that starts to read again receives all queued output in order")
    func slowReader() throws {
        try EngineBench.with { bench in
            let (socket, _) = try BenchSocket.open(bench)
            socket.line.setWritable(false)
            for number in 0..<100 { try socket.send("4\(number)") }
            try socket.expect(nil)
            socket.line.setWritable(true)
            #expect(try socket.texts() == (0..<100).map { "4\($0)" })
        }
    }
}
