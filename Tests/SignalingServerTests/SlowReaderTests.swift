import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Output for clients that do not read")
struct SlowReaderTests {
    /// Runs a server with open rooms, and with Ann in one of them.
    private func withAnn(
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (EngineBench, _ ann: BenchSocket) throws -> Void
    ) throws {
        try EngineBench.with({
            $0.isConformanceServer = false
            $0.openRooms = true
            $0.grace = .zero
            configure(&$0)
        }) { bench in
            let ann = try BenchSocket.join(bench, "Ann")
            try body(bench, ann)
        }
    }

    /// Joins as a polling client that does not poll after the reply to its join.
    private func joinPolling(_ bench: EngineBench, _ name: String) throws -> BenchPolling {
        let query = "&roomId=1&username=\(name)&isCaller=false"
        let polling = try BenchPolling(bench, path: "/socket.io/", query: query)
        try polling.send("40")
        _ = try polling.poll()
        return polling
    }

    /// Sends an event of `count` bytes from Ann to all other members.
    private func say(_ count: Int, _ ann: BenchSocket) throws {
        try ann.send(#"42["x",""# + String(repeating: "x", count: count - 9) + #""]"#)
    }

    private func closed(_ bench: EngineBench) -> [Int] {
        SlowClient.allCases.map { bench.engine.counts.front.slowConsumersClosed[$0] }
    }

    @Test("A WebSocket whose output is not read for ten seconds is closed")
    func stalledSocket() throws {
        try withAnn { bench, ann in
            let eve = try BenchSocket.join(bench, "Eve")
            eve.line.setWritable(false)
            try say(100, ann)
            bench.advance(by: .seconds(9))
            #expect(!eve.line.isClosed)
            bench.advance(by: .seconds(3))
            #expect(eve.line.isClosed)
            #expect(closed(bench) == [0, 1, 0])
            #expect(bench.engine.queues.total == 0)
            #expect(!ann.line.isClosed)
        }
    }

    @Test("A session with queued output that is not polled for ten seconds is closed")
    func stalledPolling() throws {
        try withAnn { bench, ann in
            let eve = try joinPolling(bench, "Eve")
            try say(100, ann)
            bench.advance(by: .seconds(9))
            #expect(try eve.poll()?.count == 1)
            bench.advance(by: .seconds(9))
            try say(100, ann)
            bench.advance(by: .seconds(12))
            try eve.expectGone()
            #expect(closed(bench) == [0, 1, 0])
            #expect(bench.engine.queues.count == 0)
        }
    }

    @Test("A queued ping does not count as unread output")
    func ping() throws {
        try withAnn { bench, _ in
            let eve = try joinPolling(bench, "Eve")
            bench.advance(by: .seconds(40))
            #expect(try eve.poll() == ["2"])
        }
    }

    @Test("A client that reads again in time loses no output and is not disconnected")
    func progress() throws {
        try withAnn { bench, ann in
            let eve = try BenchSocket.join(bench, "Eve")
            for _ in 0..<3 {
                eve.line.setWritable(false)
                try say(100, ann)
                bench.advance(by: .seconds(8))
                eve.line.setWritable(true)
                #expect(try eve.texts().count { $0 != "2" } == 1)
                try eve.send("3")
                try ann.send("3")
            }
            #expect(closed(bench) == [0, 0, 0])
            #expect(bench.engine.queues.count == 0)
        }
    }

    @Test("When the total limit is exceeded, only the client with the most queued output is disconnected")
    func budget() throws {
        try withAnn({ $0.maximumQueuedBytesInAll = 100_000 }) { bench, ann in
            let eve = try joinPolling(bench, "Eve")
            try say(30_000, ann)
            let others = try ["Mal", "Zoe"].map { try joinPolling(bench, $0) }
            try say(30_000, ann)
            #expect(closed(bench) == [0, 0, 1])
            try eve.expectGone()
            for other in others {
                let packets = try other.poll() ?? []
                #expect(packets.contains { $0.utf8.count >= 30_000 })
            }
            #expect(bench.engine.queues.total == 0)
        }
    }

    @Test("A client whose queued output exceeds the limit is disconnected", arguments: [true, false])
    func limit(isPolling: Bool) throws {
        try withAnn({ $0.maximumQueuedBytes = 50_000 }) { bench, ann in
            if isPolling {
                _ = try joinPolling(bench, "Eve")
            } else {
                try BenchSocket.join(bench, "Eve").line.setWritable(false)
            }
            for _ in 0..<2 { try say(30_000, ann) }
            bench.advance(by: .milliseconds(1))
            #expect(closed(bench) == [1, 0, 0])
            #expect(bench.engine.sessions.count == 1)
            #expect(bench.engine.queues.total == 0)
        }
    }

    @Test("The default limits of queued output are 2 MiB per client, 32 MiB in total, and ten seconds")
    func defaults() {
        let configuration = ServerConfiguration()
        #expect(configuration.maximumQueuedBytes == 2 << 20)
        #expect(configuration.maximumQueuedBytesInAll == 32 << 20)
        #expect(configuration.readTimeout == .seconds(10))
    }
}
