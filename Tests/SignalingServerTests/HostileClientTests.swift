import FrontTesting
import HTTPFront
import Testing

@testable import SignalingServer

@Suite("Hostile clients")
struct HostileClientTests {
    private func head(_ method: String, _ target: String, _ body: String = "") -> String {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        return "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(length)\r\n\(body)"
    }

    @Test("A close packet pipelined behind a pending GET ends the session once the GET is answered")
    func pipelinedFarewell() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let line = try polling.get()
            try line.send(head("POST", polling.target, "1"))
            bench.advance(by: .seconds(26))
            #expect(try line.reply()?.body == "2")
            #expect(try line.reply()?.body == "ok")
            try polling.expectGone()
        }
    }

    @Test("Two pipelined GETs are both answered during an upgrade probe")
    func pipelinedPolls() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let line = try polling.get()
            try line.send(head("GET", polling.target))
            _ = try polling.probe()
            bench.advance(by: .milliseconds(150))
            #expect(try line.reply()?.body == "6")
            bench.advance(by: .milliseconds(100))
            #expect(try line.reply()?.body == "6")
        }
    }

    @Test("The server stops reading from a client that reads no responses, and closes it after a timeout")
    func unreadAnswers() throws {
        try EngineBench.with { bench in
            let line = try bench.connect()
            let target = "/engine.io/?EIO=4&transport=polling"
            try line.send(head("GET", target))
            line.setWritable(false)
            try line.send(String(repeating: head("GET", target), count: 5))
            #expect(bench.engine.sessions.count == 1)
            line.setWritable(true)
            #expect(bench.engine.sessions.count == 6)
            line.setWritable(false)
            bench.advance(by: bench.engine.configuration.requestTimeout + .seconds(1))
            #expect(line.isClosed)
        }
    }

    @Test("A WebSocket frame that arrives with the upgrade request does not delay other sessions")
    func earlyFrame() throws {
        try EngineBench.with { bench in
            let other = try BenchSocket.open(bench).socket
            let line = try bench.connect()
            let request = [
                "GET /engine.io/?EIO=4&transport=websocket HTTP/1.1", "Host: localhost",
                "Connection: Upgrade",
                "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
            ]
            try line.send(Array(request.joined(separator: "\r\n").utf8) + ClientFrame.text("4early"))
            bench.advance(by: .seconds(26))
            try other.expect(.text("2"))
        }
    }

    @Test("A POST body that contains only separators is refused and ends the session")
    func separators() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            #expect(try polling.post(String(repeating: "\u{1E}", count: 900_000)).status == 400)
            try polling.expectGone()
        }
    }

    @Test("A client that has not joined cannot make the server wait for attachments")
    func attachmentsOfStranger() throws {
        try EngineBench.with({ $0.isConformanceServer = false }) { bench in
            let query = "&roomId=1&username=Ann&isCaller=true"
            let socket = try BenchSocket.open(bench, path: "/socket.io/", query: query).socket
            try socket.send(#"451-["offer",{"_placeholder":true,"num":0}]"#)
            #expect(bench.engine.sessions.isEmpty && bench.engine.front.inputs.count == 0)
        }
    }

    @Test("The total size of a packet's attachments is limited")
    func attachments() throws {
        try EngineBench.with {
            $0.isConformanceServer = false
            $0.maximumPayload = 1000
        } _: { bench in
            let query = "&roomId=1&username=Ann&isCaller=true"
            let socket = try BenchSocket.open(bench, path: "/socket.io/", query: query).socket
            try socket.send("40")
            _ = try socket.texts()
            let placeholders = #"{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}"#
            try socket.send(#"452-["offer",\#(placeholders)]"#)
            try socket.send([UInt8](repeating: 1, count: 600))
            try socket.expectAlive()
            try socket.send([UInt8](repeating: 1, count: 600))
            #expect(bench.engine.sessions.isEmpty)
        }
    }
}
