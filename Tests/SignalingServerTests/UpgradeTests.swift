import SocketIO
import Testing

@testable import SignalingServer

@Suite("Upgrade from polling to WebSocket")
struct UpgradeTests {
    @Test("After the probe, each held GET is answered with a noop within 100 ms")
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

    @Test("A GET that arrives after the probe is answered with a noop")
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

    @Test("Messages stay on polling until the upgrade")
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

    @Test("The upgrade moves the session to WebSocket, frees a held GET and refuses further ones")
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

    @Test("Queued packets are sent once, in order, before those over WebSocket")
    func order() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            try polling.send("4a", "bAQ==")
            let received = try polling.poll()
            try polling.send("4b", "bAg==")
            let socket = try polling.probe()
            try polling.send("4c")
            // All frames in one segment, as from a client that writes them at once.
            try socket.line.send(ClientFrame.text("5") + ClientFrame.text("4d") + ClientFrame.text("4e"))
            #expect(received == ["4a", "bAQ=="])
            for message in [
                TestSocket.Message.text("4b"), .binary([2]), .text("4c"), .text("4d"), .text("4e"), nil,
            ] {
                try socket.expect(message)
            }
        }
    }

    @Test("Packets after the noop of a held GET arrive over WebSocket")
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

    @Test("A client that does not upgrade in time loses the WebSocket and continues polling")
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
            // GETs are no longer answered with a noop.
            let get = try polling.get()
            bench.advance(by: .seconds(1))
            #expect(try get.reply() == nil)
        }
    }

    @Test(
        "A packet other than probe and upgrade closes only the probed WebSocket",
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
            // The client may try again.
            let second = try polling.probe()
            try second.send("5")
            try second.expectAlive()
        }
    }

    @Test("Binary data or an invalid frame closes only the probed WebSocket", arguments: [true, false])
    func wrongFrame(isMasked: Bool) throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            try socket.sendFrame(0x82, [1], isMasked: isMasked)
            try socket.expect(.close(isMasked ? 1000 : 1002))
            try polling.expectAlive()
        }
    }

    @Test("The loss of the probed WebSocket leaves the session polling", arguments: [true, false])
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

    @Test("A second WebSocket during a probe is closed, and the first may upgrade")
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

    @Test("A WebSocket for an upgraded session is closed, and the session continues")
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

    @Test("The end of a session closes the probed WebSocket")
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
        "A pong awaited during the upgrade is waived, and the next ping comes over WebSocket"
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

    @Test("A ping that was not polled arrives over WebSocket, and its pong counts")
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
