import NIOCore
import NIOEmbedded
import Testing

@testable import RedisKit

@Suite struct RedisConnectionTests {
    private let channel = EmbeddedChannel()
    private let connection: RedisConnection

    init() throws {
        connection = RedisConnection(RedisConfiguration(try RedisAddress("redis://127.0.0.1")), channel)
        try connection.start()
    }

    private func answer(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    /// Records the connection's end and error replies, in order.
    private func listen(_ heard: @escaping (String) -> Void) {
        connection.onClose = { heard("closed: \($0), \($1) unanswered") }
        connection.onRefusal = { heard("refused: \($0)") }
    }

    @Test("A subscribed connection is not closed while Redis answers its pings")
    func answeringSubscription() throws {
        var heard: [String] = []
        listen { heard.append($0) }
        connection.onMessage = { _ in }
        for _ in 0..<10 {
            connection.checkLife()
            try answer("*2\r\n$4\r\npong\r\n$0\r\n\r\n")
        }
        #expect(heard == [])
    }

    @Test("A subscribed connection with two unanswered pings is closed when the third is due")
    func unansweredPings() {
        var heard: [String] = []
        listen { heard.append($0) }
        connection.onMessage = { _ in }
        connection.checkLife()
        connection.checkLife()
        #expect(heard == [])
        connection.checkLife()
        #expect(heard == ["closed: no reply in time, 0 unanswered"])
    }

    @Test("The end of a connection is reported before its pending commands fail")
    func endBeforeFailures() {
        var heard: [String] = []
        listen { heard.append($0) }
        let promise = channel.eventLoop.makePromise(of: RESPValue.self)
        promise.futureResult.assumeIsolated().whenFailure { heard.append("failed: \($0)") }
        connection.send(RedisCommand("GET", "a"), promise: promise)
        connection.close(.slow)
        #expect(
            heard == [
                "closed: Redis does not read the commands sent to it, 1 unanswered",
                "failed: \(RedisError.slow)",
            ]
        )
    }

    @Test("An error reply is reported even if the sender of the command ignores replies")
    func unexpectedErrorReply() throws {
        var heard: [String] = []
        listen { heard.append($0) }
        connection.send(RedisCommand("PUBLISH", "a", "b"), promise: nil)
        try answer("-NOPERM no\r\n")
        #expect(heard == ["refused: NOPERM no"])
    }

    @Test("An ending connection closes after the reply to its last command")
    func endAfterReplies() throws {
        var heard: [String] = []
        listen { heard.append($0) }
        connection.send(RedisCommand("DEL", "a"), promise: nil)
        connection.send(RedisCommand("PUBLISH", "a", "b"), promise: nil)
        connection.end(within: .hours(1))
        try answer(":1\r\n")
        #expect(heard == [])
        try answer(":1\r\n")
        #expect(heard == ["closed: the connection was closed, 0 unanswered"])
    }
}
