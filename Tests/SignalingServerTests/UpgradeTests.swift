import FrontTesting
import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Upgrade from polling to WebSocket")
struct UpgradeTests {
    @Test("After the probe, each pending GET is answered with a noop")
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

    @Test("After the probe, messages are sent over polling until the upgrade packet")
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

    @Test("An upgrade moves the session to WebSocket, answers a pending GET, and refuses further polling")
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

    @Test("After the upgrade, packets queued for polling are sent over WebSocket first, once and in order")
    func order() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            try polling.send("4a", "bAQ==")
            let received = try polling.poll()
            try polling.send("4b", "bAg==")
            let socket = try polling.probe()
            try polling.send("4c")
            // All frames arrive in one segment, as from a client that writes them at once.
            try socket.line.send(ClientFrame.text("5") + ClientFrame.text("4d") + ClientFrame.text("4e"))
            #expect(received == ["4a", "bAQ=="])
            for message in [
                TestSocket.Message.text("4b"), .binary([2]), .text("4c"), .text("4d"), .text("4e"), nil,
            ] {
                try socket.expect(message)
            }
        }
    }

    @Test("A packet queued after the noop that ends a pending GET is sent over WebSocket")
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

    @Test("The WebSocket of a client that does not upgrade in time is closed, and polling continues")
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
        "A packet other than the probe closes only the new WebSocket, and polling continues",
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

    @Test("Binary data or an invalid frame closes only the WebSocket of a probe", arguments: [true, false])
    func wrongFrame(isMasked: Bool) throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let socket = try polling.probe()
            try socket.sendFrame(0x82, [1], isMasked: isMasked)
            try socket.expect(.close(isMasked ? 1000 : 1002))
            try polling.expectAlive()
        }
    }

    @Test("Polling continues after the loss of the WebSocket of a probe", arguments: [true, false])
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

    @Test("A second WebSocket during a probe is closed, and the first one may upgrade")
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

    @Test("A further WebSocket for an upgraded session is closed, and the session continues")
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

    @Test("The end of a polling session closes the WebSocket of its probe")
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
        "A pong due during the upgrade is no longer required, and the next ping is sent over WebSocket"
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

    @Test("A ping queued before the upgrade is sent over WebSocket, where the pong is accepted")
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
