import HTTPFront
import Testing

@testable import SignalingServer

@Suite("Connection timeouts")
struct ConnectionTimeTests {
    @Test(
        "A connection is closed after ten seconds without a complete request",
        arguments: [
            "", "GET /", "GET / HTTP/1.1\r\nHost: localhost\r\n",
            "POST /engine.io/?EIO=4 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx",
        ]
    )
    func request(start: String) throws {
        try EngineBench.with { bench in
            let line = try bench.connect()
            if !start.isEmpty { try line.send(start) }
            bench.advance(by: .seconds(9.8))
            #expect(!line.isClosed)
            bench.advance(by: .seconds(0.4))
            #expect(line.isClosed)
        }
    }

    @Test("Sending a request byte by byte does not extend the request timeout")
    func trickle() throws {
        try EngineBench.with { bench in
            let line = try bench.connect()
            for byte in Array("GET / HTTP/1.1\r\n".utf8).prefix(10) {
                try line.send([byte])
                bench.advance(by: .seconds(1))
            }
            bench.advance(by: .milliseconds(200))
            #expect(line.isClosed)
        }
    }

    @Test("An idle HTTP connection stays open for the ping interval plus the ping timeout")
    func idle() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let line = try bench.request("POST", polling.target, body: "4a")
            bench.advance(by: .seconds(44.8))
            #expect(!line.isClosed)
            bench.advance(by: .seconds(0.4))
            #expect(line.isClosed)
        }
    }

    @Test("A connection with a pending GET is not closed as idle")
    func heldGet() throws {
        try EngineBench.with({ $0.pingInterval = .seconds(600) }) { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            bench.advance(by: .seconds(590))
            #expect(!get.isClosed)
            try polling.send("4a")
            #expect(try get.reply()?.body == "4a")
        }
    }

    @Test("A client has one second to answer the server's WebSocket close frame")
    func closing() throws {
        try EngineBench.with { bench in
            let (socket, _) = try BenchSocket.open(bench)
            try socket.send("9")
            try socket.expect(.text("1"))
            try socket.expect(.close(1002))
            #expect(!socket.line.isClosed)
            bench.advance(by: .seconds(1))
            #expect(socket.line.isClosed)
        }
    }

    @Test(
        "A shutdown closes all connections within a second, even if the clients do not answer"
    )
    func shutdown() throws {
        try EngineBench.with { bench in
            let (socket, _) = try BenchSocket.open(bench)
            let polling = try BenchPolling(bench)
            let lines = [
                try bench.connect(), try polling.get(), try bench.request("GET", "/"), socket.line,
            ]
            _ = bench.engine.front.shutDown()
            #expect(lines.map(\.isClosed) == [true, true, false, false])
            bench.advance(by: .seconds(1))
            #expect(lines.map(\.isClosed) == [true, true, true, true])
            #expect(bench.engine.counts.front.connections == 0)
            let late = try bench.connect()
            #expect(late.isClosed)
        }
    }

    @Test("A client that answers the close frame is disconnected at once")
    func answeredClose() throws {
        try EngineBench.with { bench in
            let (socket, _) = try BenchSocket.open(bench)
            try socket.send("9")
            try socket.sendFrame(0x88, [0x03, 0xE8])
            #expect(socket.line.isClosed)
        }
    }

    @Test("A client's close frame is answered with the same code, and the connection is closed")
    func clientClose() throws {
        for (payload, code) in [([UInt8](), 1000), ([0x0F, 0xA0], 4000)] {
            try EngineBench.with { bench in
                let (socket, _) = try BenchSocket.open(bench)
                try socket.sendFrame(0x88, payload)
                try socket.expect(.close(code))
                try socket.expect(.end)
            }
        }
    }
}
