import SocketIO
import Testing

@testable import SignalingServer

@Suite("What waits for clients that do not read")
struct OutgoingQueuesTests {
    /// The rooms' server, with Ann, who can be heard by all.
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
            let ann = try join(bench, "Ann")
            try body(bench, ann)
        }
    }

    private func join(_ bench: EngineBench, _ name: String) throws -> BenchSocket {
        let query = "&roomId=1&username=\(name)&isCaller=true"
        let (socket, _) = try BenchSocket.open(bench, path: "/socket.io/", query: query)
        try socket.send("40")
        _ = try socket.texts()
        return socket
    }

    /// A client that polls, joins, and asks for nothing any more.
    private func joinPolling(_ bench: EngineBench, _ name: String) throws -> BenchPolling {
        let query = "&roomId=1&username=\(name)&isCaller=false"
        let polling = try BenchPolling(bench, path: "/socket.io/", query: query)
        try polling.send("40")
        _ = try polling.poll()
        return polling
    }

    /// Has Ann say so many bytes to all the others.
    private func say(_ count: Int, _ ann: BenchSocket) throws {
        try ann.send(#"42["x",""# + String(repeating: "x", count: count - 9) + #""]"#)
    }

    private func closed(_ bench: EngineBench) -> [Int] {
        SlowConsumer.allCases.map { bench.engine.counts.slowConsumersClosed[$0] }
    }

    @Test("A WebSocket of which nothing is read for ten seconds is closed")
    func stalledSocket() throws {
        try withAnn { bench, ann in
            let eve = try join(bench, "Eve")
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

    @Test("A session that is not polled for ten seconds, while something waits for it, is closed")
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

    @Test("A ping that waits is none of what has to be read in time")
    func ping() throws {
        try withAnn { bench, _ in
            let eve = try joinPolling(bench, "Eve")
            bench.advance(by: .seconds(40))
            #expect(try eve.poll() == ["2"])
        }
    }

    @Test("Who reads again, however late, loses nothing and is not closed")
    func progress() throws {
        try withAnn { bench, ann in
            let eve = try join(bench, "Eve")
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

    @Test("Beyond the budget of all the client with the most waiting is closed, and only that")
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

    @Test("Beyond its own limit a client is closed", arguments: [true, false])
    func limit(isPolling: Bool) throws {
        try withAnn({ $0.maximumQueuedBytes = 50_000 }) { bench, ann in
            if isPolling {
                _ = try joinPolling(bench, "Eve")
            } else {
                try join(bench, "Eve").line.setWritable(false)
            }
            for _ in 0..<2 { try say(30_000, ann) }
            bench.advance(by: .milliseconds(1))
            #expect(closed(bench) == [1, 0, 0])
            #expect(bench.engine.sessions.count == 1)
            #expect(bench.engine.queues.total == 0)
        }
    }

    @Test("A client may have two mebibytes waiting, all together 32, for ten seconds")
    func defaults() {
        let configuration = ServerConfiguration()
        #expect(configuration.maximumQueuedBytes == 2 << 20)
        #expect(configuration.maximumQueuedBytesInAll == 32 << 20)
        #expect(configuration.readTimeout == .seconds(10))
    }
}
