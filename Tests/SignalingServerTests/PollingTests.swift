import Basics
import Testing

@testable import SignalingServer

@Suite("Polling")
struct PollingTests {
    @Test("A GET is answered only when a packet is queued")
    func heldGet() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            bench.advance(by: .seconds(20))
            #expect(try get.reply() == nil)
            try polling.send("4hello€")
            let reply = try #require(try get.reply())
            #expect(reply.status == 200)
            #expect(reply.body == "4hello€")
            #expect(reply.headers["content-type"] == "text/plain; charset=UTF-8")
            #expect(reply.headers["cache-control"] == "no-store")
        }
    }

    @Test("All queued packets are sent in one response, in order, and binary ones as Base64")
    func concatenated() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            try polling.send("4a", "bAQIDBA==", "4")
            try polling.send("4b")
            #expect(try polling.get().reply()?.body == "4a\u{1E}bAQIDBA==\u{1E}4\u{1E}4b")
            let next = try polling.get()
            #expect(try next.reply() == nil)
        }
    }

    @Test("A POST is answered with “ok” as text/html, and its connection stays open")
    func posted() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let line = try bench.request("POST", polling.target, body: "4a")
            let reply = try #require(try line.reply())
            #expect(reply.status == 200)
            #expect(reply.body == "ok")
            #expect(reply.headers["content-type"] == "text/html")
            #expect(reply.headers["cache-control"] == "no-store")
            try line.send("GET \(polling.target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try line.reply()?.body == "4a")
        }
    }

    @Test("A second GET is refused and ends the session, and the first GET gets the close packet")
    func secondGet() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let first = try polling.get()
            let second = try #require(try polling.get().reply())
            #expect(second.status == 400)
            let reported = try #require(try first.reply())
            #expect(reported.status == 200)
            #expect(reported.body == "1")
            try polling.expectGone()
        }
    }

    @Test("A second POST while the body of the first one is incomplete ends the session")
    func secondPost() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            let first = try bench.connect()
            try first.send("POST \(polling.target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n4")
            let status = try polling.post("4b").status
            #expect(status == 400)
            #expect(try get.reply()?.body == "1")
            try first.send("a")
            try polling.expectGone()
        }
    }

    @Test("Pipelined POSTs are accepted one after the other")
    func postsInTurn() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let line = try bench.connect()
            let post = "POST \(polling.target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n"
            try line.send("\(post)4a\(post)4b")
            #expect(try line.reply()?.body == "ok")
            #expect(try line.reply()?.body == "ok")
            #expect(try polling.poll() == ["4a", "4b"])
        }
    }

    @Test("A pending GET that the client aborts ends the session at once")
    func abortedGet() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            try polling.get().cut()
            try polling.expectGone()
            #expect(bench.engine.sessions.isEmpty)
        }
    }

    @Test("A POST that the client aborts ends the session at once")
    func abortedPost() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            let line = try bench.connect()
            try line.send("POST \(polling.target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n4")
            line.cut()
            #expect(try get.reply()?.body == "1")
            try polling.expectGone()
        }
    }

    @Test("A POST with malformed chunks ends the session")
    func brokenPost() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            let line = try bench.connect()
            try line.send(
                "POST \(polling.target) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
            )
            #expect(try line.reply()?.status == 400)
            #expect(try get.reply()?.body == "1")
            try polling.expectGone()
        }
    }

    @Test("A connection that is closed after its response does not end the session")
    func answeredConnection() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            try polling.send("4a")
            #expect(try get.reply()?.body == "4a")
            get.cut()
            try polling.expectAlive()
        }
    }

    @Test(
        "A malformed packet, or one that a client may not send, ends the session",
        arguments: ["7", "abc", "", "\u{1E}", "b====", "2", "2probe", "0{}", "é"]
    )
    func badPackets(body: String) throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            let status = try polling.post(body).status
            #expect(status == 400)
            #expect(try get.reply()?.body == "1")
            try polling.expectGone()
        }
    }

    @Test("A POST body that is not UTF-8 ends the session")
    func invalidUTF8() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let line = try bench.connect()
            try line.send("POST \(polling.target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n")
            try line.send([0x34, 0xFF])
            #expect(try line.reply()?.status == 400)
            try polling.expectGone()
        }
    }

    @Test("In a POST, packets before a malformed one are handled, and later ones are not")
    func packetsAroundBadOne() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            let status = try polling.post("4a\u{1E}9\u{1E}4b").status
            #expect(status == 400)
            #expect(try get.reply()?.packets == ["4a", "1"])
            try polling.expectGone()
        }
    }

    @Test("The pending GET of a client that closes its session is answered with a noop packet")
    func clientClose() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            try polling.send("1")
            #expect(try get.reply()?.body == "6")
            try polling.expectGone()
        }
    }

    @Test("A GET for another session receives only that session's packets")
    func foreignGet() throws {
        try EngineBench.with { bench in
            let (one, other) = (try BenchPolling(bench), try BenchPolling(bench))
            try one.send("4secret")
            let get = try other.get()
            #expect(try get.reply() == nil)
            #expect(try one.poll() == ["4secret"])
        }
    }
}
