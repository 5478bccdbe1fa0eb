import SocketIO
import Testing

@testable import SignalingServer

@Suite("Message size limit")
struct PayloadLimitTests {
    private func withLimit(_ body: (EngineBench) throws -> Void) throws {
        try EngineBench.with({ $0.maximumPayload = 1000 }, body)
    }

    /// Creates an Engine.IO message packet of `length` bytes, including its type digit.
    private func message(_ length: Int) -> String { "4" + String(repeating: "x", count: length - 1) }

    @Test("A POST at the limit is accepted")
    func postAtLimit() throws {
        try withLimit { bench in
            let polling = try BenchPolling(bench)
            try polling.send(message(1000))
            #expect(try polling.poll() == [message(1000)])
        }
    }

    @Test("A POST above the limit is refused with an empty 413, and the session stays open")
    func postAboveLimit() throws {
        try withLimit { bench in
            let polling = try BenchPolling(bench)
            let reply = try polling.post(message(1001))
            #expect(reply.status == 413)
            #expect(reply.body == "")
            try polling.expectAlive()
        }
    }

    @Test("A POST whose Content-Length exceeds the limit is refused before its body arrives")
    func announced() throws {
        try withLimit { bench in
            let polling = try BenchPolling(bench)
            for length in ["1001", "99999999999999999"] {
                let line = try bench.connect()
                try line.send(
                    "POST \(polling.target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n\r\n"
                )
                #expect(try line.reply()?.status == 413)
            }
            try polling.expectAlive()
        }
    }

    @Test("A chunked POST is refused as soon as it exceeds the limit")
    func chunks() throws {
        try withLimit { bench in
            let polling = try BenchPolling(bench)
            let line = try bench.connect()
            try line.send(
                "POST \(polling.target) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            let chunk = String(repeating: "x", count: 500)
            for _ in 0..<2 { try line.send("1f4\r\n\(chunk)\r\n") }
            #expect(try line.reply() == nil)
            try line.send("1\r\nx\r\n")
            #expect(try line.reply()?.status == 413)
            try polling.expectAlive()
        }
    }

    @Test("A POST with Expect: 100-continue is answered with 100 before its body")
    func expectation() throws {
        try withLimit { bench in
            let polling = try BenchPolling(bench)
            let line = try bench.connect()
            try line.send(
                "POST \(polling.target) HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
            )
            #expect(try line.reply()?.status == 100)
            try line.send("4a")
            #expect(try line.reply()?.body == "ok")
        }
    }

    @Test("A refused request that waits for 100 Continue is answered at once")
    func refusedExpectation() throws {
        try withLimit { bench in
            let polling = try BenchPolling(bench)
            let line = try bench.connect()
            try line.send(
                """
                POST \(polling.target) HTTP/1.1\r
                Host: localhost\r
                Origin: http://evil.example\r
                Expect: 100-continue\r
                Content-Length: 9\r
                \r

                """
            )
            #expect(try line.reply()?.status == 403)
            #expect(line.isClosed)
        }
    }

    @Test("A WebSocket message at the limit is accepted, even if it is fragmented")
    func socketAtLimit() throws {
        try withLimit { bench in
            let (socket, _) = try BenchSocket.open(bench)
            try socket.send(message(1000))
            try socket.expect(.text(message(1000)))
            try socket.send([UInt8](repeating: 1, count: 1000))
            try socket.expect(.binary([UInt8](repeating: 1, count: 1000)))
            try socket.sendFrame(0x01, Array(message(600).utf8))
            try socket.sendFrame(0x80, Array(String(repeating: "x", count: 400).utf8))
            try socket.expect(.text(message(1000)))
        }
    }

    @Test(
        "A WebSocket message above the limit is refused with 1009, even if it is fragmented",
        arguments: [true, false]
    )
    func socketAboveLimit(isWhole: Bool) throws {
        try withLimit { bench in
            let (socket, handshake) = try BenchSocket.open(bench)
            if isWhole {
                try socket.send(message(1001))
            } else {
                try socket.sendFrame(0x01, Array(message(600).utf8))
                try socket.expect(nil)
                try socket.sendFrame(0x80, Array(String(repeating: "x", count: 401).utf8))
            }
            try socket.expect(.close(1009))
            try BenchPolling(bench, sid: handshake.sid).expectGone()
        }
    }
}
