import FrontTesting
import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Messages and bodies that clients do not complete")
struct IncompleteInputTests {
    /// A way to send a message that stays incomplete, with a number of bytes.
    enum Message: CaseIterable, Sendable {
        case attachments, fragments, frame

        func send(_ count: Int, on socket: BenchSocket) throws {
            let bytes = [UInt8](repeating: 0, count: count)
            switch self {
            case .attachments:
                try socket.send(#"452-["x",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]"#)
                try socket.send(bytes)
            case .fragments: try socket.sendFrame(0x02, bytes)
            case .frame: try socket.line.send(ClientFrame.binary(bytes + [0]).dropLast())
            }
        }
    }

    private func withServer(
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (EngineBench) throws -> Void
    ) throws {
        try EngineBench.with({
            $0.isConformanceServer = false
            $0.openRooms = true
            $0.grace = .zero
            $0.limitsLoopback = false
            configure(&$0)
        }) { bench in try body(bench) }
    }

    private func closed(_ bench: EngineBench) -> [Int] {
        SlowClient.allCases.map { bench.engine.counts.front.slowSendersClosed[$0] }
    }

    /// Advances the time and answers the pings of the server.
    private func wait(_ seconds: Int, _ bench: EngineBench, _ socket: BenchSocket) throws {
        for _ in 0..<seconds {
            bench.advance(by: .seconds(1))
            if try socket.texts().contains("2") { try socket.send("3") }
        }
    }

    @Test("A message that is incomplete after 30 seconds ends its connection", arguments: Message.allCases)
    func stalled(message: Message) throws {
        try withServer { bench in
            let ann = try BenchSocket.join(bench, "Ann")
            try message.send(1000, on: ann)
            #expect(bench.engine.front.inputs.total >= 1000)
            bench.advance(by: .seconds(24))
            #expect(!ann.line.isClosed)
            bench.advance(by: .seconds(8))
            #expect(ann.line.isClosed)
            #expect(closed(bench) == [0, 1, 0])
            #expect(bench.engine.front.inputs.count == 0)
        }
    }

    @Test(
        "When incomplete messages exceed the total limit, the client with the oldest one is disconnected"
    )
    func budget() throws {
        try withServer({ $0.maximumIncompleteBytesInAll = 100_000 }) { bench in
            let (ann, eve) = (try BenchSocket.join(bench, "Ann"), try BenchSocket.join(bench, "Eve"))
            try Message.attachments.send(40_000, on: eve)
            #expect(closed(bench) == [0, 0, 0])
            bench.advance(by: .seconds(2))
            try Message.attachments.send(70_000, on: ann)
            try eve.send([1])
            bench.advance(by: .seconds(2))
            #expect(closed(bench) == [0, 0, 1])
            #expect(eve.line.isClosed && !ann.line.isClosed)
            #expect((70_000..<75_000).contains(bench.engine.front.inputs.total))
        }
    }

    @Test("Above the total limit, a client at the address with the most incomplete bytes is disconnected")
    func otherAddress() throws {
        try withServer({ $0.maximumIncompleteBytesInAll = 100_000 }) { bench in
            let ann = try BenchSocket.join(bench, "Ann")
            try Message.attachments.send(20_000, on: ann)
            var eves: [BenchSocket] = []
            for number in 0..<3 {
                bench.advance(by: .seconds(1))
                eves.append(try BenchSocket.join(bench, "Eve\(number)", from: "192.0.2.1"))
                try Message.attachments.send(30_000, on: eves[number])
            }
            bench.advance(by: .seconds(2))
            #expect(eves.map(\.line.isClosed) == [true, false, false])
            #expect(!ann.line.isClosed && closed(bench) == [0, 0, 1])
        }
    }

    @Test("While a packet awaits attachments, the memory of its decoded text counts as incomplete input")
    func text() throws {
        try withServer { bench in
            let ann = try BenchSocket.join(bench, "Ann")
            let padding = String(repeating: "[0],", count: 10_000)
            try ann.send(#"451-["x",{"_placeholder":true,"num":0},\#(padding)0]"#)
            #expect(bench.engine.front.inputs.total > 16 * 40_000)
        }
    }

    @Test("A connection that ends leaves no record of its incomplete message", arguments: Message.allCases)
    func closing(message: Message) throws {
        try withServer { bench in
            let ann = try BenchSocket.join(bench, "Ann")
            try message.send(1000, on: ann)
            #expect(bench.engine.front.inputs.count == 1)
            ann.line.cut()
            bench.advance(by: .seconds(1))
            #expect(bench.engine.front.inputs.count == 0 && closed(bench) == [0, 0, 0])
        }
    }

    @Test("A connection that ends within a request body leaves no record of the body")
    func closingBody() throws {
        try withServer { bench in
            let polling = try BenchPolling(
                bench,
                path: "/socket.io/",
                query: "&roomId=1&username=Ann&isCaller=true"
            )
            let line = try bench.connect()
            try line.send("POST \(polling.target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n4")
            #expect(bench.engine.front.inputs.count == 1)
            line.cut()
            #expect(bench.engine.front.inputs.count == 0)
        }
    }

    @Test("A body that is incomplete counts towards the total limit")
    func body() throws {
        try withServer({ $0.maximumIncompleteBytesInAll = 20_000 }) { bench in
            let polling = try BenchPolling(
                bench,
                path: "/socket.io/",
                query: "&roomId=1&username=Ann&isCaller=true"
            )
            let line = try bench.connect()
            let text = "POST \(polling.target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n"
            try line.send(Array(text.utf8) + [UInt8](repeating: 0x34, count: 40_000))
            bench.advance(by: .milliseconds(1))
            #expect(closed(bench) == [0, 0, 1])
            #expect(line.isClosed)
            #expect(bench.engine.front.inputs.count == 0)
        }
    }

    @Test("The time limit applies to each message separately, and complete messages leave no record")
    func progress() throws {
        try withServer { bench in
            let ann = try BenchSocket.join(bench, "Ann")
            for _ in 0..<3 {
                try ann.send(#"451-["x",{"_placeholder":true,"num":0}]"#)
                try wait(20, bench, ann)
                #expect(bench.engine.front.inputs.count == 1)
                try ann.send([1, 2, 3])
            }
            for _ in 0..<3 {
                try ann.send(#"451-["x",{"_placeholder":true,"num":0}]"#)
                try ann.sendFrame(0x02, [0])
                // Within this time no ping is due, whose pong would interrupt the fragments.
                try wait(4, bench, ann)
                #expect(bench.engine.front.inputs.count == 2)
                try ann.sendFrame(0x80, [1])
            }
            #expect(bench.engine.front.inputs.count == 0)
            #expect(!ann.line.isClosed && closed(bench) == [0, 0, 0])
        }
    }
}
