import Testing

@testable import SignalingServer

@Suite("Heartbeat over polling")
struct PollingHeartbeatTests {
    private let slack = Duration.milliseconds(200)

    @Test("A pending GET is answered with a ping one interval after the handshake")
    func firstPing() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            bench.advance(by: .seconds(25) - slack)
            #expect(try get.reply() == nil)
            bench.advance(by: slack * 2)
            #expect(try get.reply()?.body == "2")
            try polling.send("4a", "3")
            #expect(try polling.poll() == ["4a"])
        }
    }

    @Test("A ping without a pending GET is queued behind earlier packets")
    func keptPing() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            bench.advance(by: .seconds(20))
            try polling.send("4a")
            bench.advance(by: .seconds(6))
            #expect(try polling.poll() == ["4a", "2"])
        }
    }

    @Test("The next ping follows one interval after the pong, not after the ping")
    func nextPing() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            for delay in [Duration.seconds(10), .seconds(19), .zero] {
                let get = try polling.get()
                bench.advance(by: .seconds(25) - slack)
                #expect(try get.reply() == nil)
                bench.advance(by: slack * 2)
                #expect(try get.reply()?.body == "2")
                bench.advance(by: delay)
                try polling.send("3")
            }
        }
    }

    @Test("A session without a timely pong ends")
    func missingPong() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            bench.advance(by: .seconds(25) + slack)
            #expect(try polling.poll() == ["2"])
            let get = try polling.get()
            bench.advance(by: .seconds(20) - slack * 2)
            #expect(try get.reply() == nil)
            bench.advance(by: slack * 2)
            #expect(try get.reply()?.body == "1")
            try polling.expectGone()
        }
    }

    @Test("Neither further requests nor packets other than a pong prevent the ping timeout")
    func otherTraffic() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            bench.advance(by: .seconds(25) + slack)
            #expect(try polling.poll() == ["2"])
            for _ in 0..<19 {
                bench.advance(by: .seconds(1))
                try polling.expectAlive()
            }
            bench.advance(by: .seconds(1) + slack)
            try polling.expectGone()
        }
    }

    @Test("A session whose client has disappeared is removed when its pong is overdue")
    func abandoned() throws {
        try EngineBench.with { bench in
            for _ in 0..<10 { _ = try BenchPolling(bench) }
            bench.advance(by: .seconds(45) - slack)
            #expect(bench.engine.sessions.count == 10)
            bench.advance(by: slack * 3)
            #expect(bench.engine.sessions.isEmpty)
        }
    }
}
