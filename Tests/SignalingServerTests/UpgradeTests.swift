import SocketIO
import Testing

@testable import SignalingServer

@Suite("Upgrade from polling to WebSocket")
struct UpgradeTests {
    @Test("From the probe's answer on, each held GET is answered with 6 within 100 ms")
    func noops() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            let socket = try polling.openSocket()
            bench.advance(by: .seconds(1))
            #expect(try get.reply() == nil)
            try socket.send("2probe")
            try socket.expect(.text("3probe"))
            #expect(try get.reply() == nil)
            bench.advance(by: .milliseconds(250))
            #expect(try get.reply()?.body == "6")
            let next = try polling.get()
            #expect(try next.reply() == nil)
            bench.advance(by: .milliseconds(250))
            #expect(try next.reply()?.body == "6")
        }
    }

    @Test("A GET that comes after the probe's answer is answered with 6")
    func lateGet() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            bench.advance(by: .seconds(1))
            let get = try polling.get()
            bench.advance(by: .milliseconds(250))
            #expect(try get.reply()?.body == "6")
            try socket.send("5")
            try socket.expectAlive()
        }
    }

    @Test("Messages stay on polling until the client changes over")
    func untilThen() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            try polling.expectAlive()
            let get = try polling.get()
            try polling.send("4a")
            #expect(try get.reply()?.body == "4a")
            try socket.expect(nil)
        }
    }

    @Test("With 5 the session goes on over WebSocket: a held GET is freed, and the next refused")
    func changeOver() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            let get = try polling.get()
            try socket.send("5")
            #expect(try get.reply()?.body == "6")
            try socket.send("4a")
            try socket.send([1, 2])
            try socket.expect(.text("4a"))
            try socket.expect(.binary([1, 2]))
            for reply in [try polling.get().reply(), try polling.post("4b")] {
                #expect(reply?.status == 400)
                #expect(reply?.body == #"{"code":3,"message":"Bad request"}"#)
            }
            try socket.expectAlive()
            #expect(bench.engine.counts.upgrades == 1)
            #expect(bench.engine.counts.sessions[.websocket] == 1)
            #expect(bench.engine.counts.sessions[.polling] == 0)
        }
    }

    @Test("What waited is sent once and in order, before what is said over WebSocket")
    func order() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            try polling.send("4a", "bAQ==")
            let received = try polling.poll()
            try polling.send("4b", "bAg==")
            let socket = try polling.probe()
            try polling.send("4c")
            // All in one segment, as a client that writes at once sends it.
            try socket.line.send(ClientFrame.text("5") + ClientFrame.text("4d") + ClientFrame.text("4e"))
            #expect(received == ["4a", "bAQ=="])
            for message in [
                TestSocket.Message.text("4b"), .binary([2]), .text("4c"), .text("4d"), .text("4e"), nil,
            ] {
                try socket.expect(message)
            }
        }
    }

    @Test("What a held GET was freed without still comes, over WebSocket")
    func freedGet() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            let get = try polling.get()
            try socket.send("5")
            try socket.send("4a")
            #expect(try get.reply()?.body == "6")
            #expect(try socket.texts() == ["4a"])
        }
    }

    @Test("A client that does not change over in time loses the WebSocket and goes on polling")
    func timeout() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            for isProbed in [false, true] {
                let socket = isProbed ? try polling.probe() : try polling.openSocket()
                bench.advance(by: .seconds(9.8))
                try socket.expect(nil)
                bench.advance(by: .seconds(0.4))
                try socket.expect(.close(1000))
                try polling.expectAlive()
            }
            // And no GET is freed for it any more.
            let get = try polling.get()
            bench.advance(by: .seconds(1))
            #expect(try get.reply() == nil)
        }
    }

    @Test(
        "Anything but probe and upgrade on the new WebSocket closes that alone",
        arguments: ["", "1", "2", "2prob", "2probex", "3", "3probe", "4a", "6", "9"]
    )
    func wrongPacket(text: String) throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.openSocket()
            try socket.send(text)
            try socket.expect(.close(1000))
            try socket.send("2probe")
            try socket.expect(nil)
            try polling.expectAlive()
            // And it may try again.
            let second = try polling.probe()
            try second.send("5")
            try second.expectAlive()
        }
    }

    @Test("Bytes on the new WebSocket, or what is no frame, close that alone", arguments: [true, false])
    func wrongFrame(isMasked: Bool) throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            try socket.sendFrame(0x82, [1], isMasked: isMasked)
            try socket.expect(.close(isMasked ? 1000 : 1002))
            try polling.expectAlive()
        }
    }

    @Test("A WebSocket that ends before the change leaves the session polling", arguments: [true, false])
    func lostProbe(isClosed: Bool) throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            if isClosed { try socket.sendFrame(0x88, [0x03, 0xE8]) } else { socket.line.cut() }
            try polling.expectAlive()
            let get = try polling.get()
            bench.advance(by: .seconds(1))
            #expect(try get.reply() == nil)
        }
    }

    @Test("A second WebSocket while one is tried is closed, and the first may change over")
    func secondProbe() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            let second = try polling.openSocket()
            try second.expect(.close(1000))
            try second.send("5")
            second.line.cut()
            try socket.send("5")
            try socket.send("4a")
            try socket.expect(.text("4a"))
        }
    }

    @Test("A WebSocket for a session that has changed over is closed, and the session goes on")
    func afterwards() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            try socket.send("5")
            let second = try polling.openSocket()
            try second.expect(.close(1000))
            try second.send("2probe")
            try second.expect(nil)
            second.line.cut()
            try socket.send("4a")
            try socket.expect(.text("4a"))
        }
    }

    @Test("When the session ends, the WebSocket that is tried does too")
    func endedSession() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            try polling.send("1")
            try socket.expect(.close(1000))
            try polling.expectGone()
        }
    }

    @Test(
        "A pong that is awaited when the client changes over is forgiven; the next ping comes over WebSocket"
    )
    func pongTimeout() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            bench.advance(by: .seconds(25.2))
            #expect(try polling.poll() == ["2"])
            bench.advance(by: .seconds(19))
            let socket = try polling.probe()
            try socket.send("5")
            bench.advance(by: .seconds(24.8))
            try socket.expectAlive()
            bench.advance(by: .seconds(0.4))
            try socket.expect(.text("2"))
            bench.advance(by: .seconds(20.2))
            try socket.expect(.text("1"))
            try socket.expect(.close(1000))
        }
    }

    @Test("A ping not yet fetched comes over WebSocket, and its pong counts")
    func waitingPing() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            bench.advance(by: .seconds(25.2))
            let socket = try polling.probe()
            try socket.send("5")
            try socket.expect(.text("2"))
            try socket.send("3")
            bench.advance(by: .seconds(25.2))
            try socket.expect(.text("2"))
        }
    }
}
