import FrontParsers
import Testing

@testable import struct SignalingServer.MessageBacklog

@Suite("Backlog of messages during a join")
struct MessageBacklogTests {
    @Test("At most 64 messages of a client are queued until its join is decided")
    func count() {
        var backlog = MessageBacklog()
        let added = (0..<100).count { _ in backlog.add(FramedMessage(text: "x")) }
        #expect(added == 64)
        #expect(backlog.messages.count == 64)
    }

    @Test("At most 64 KiB of a client's messages are queued until its join is decided")
    func bytes() {
        var backlog = MessageBacklog()
        let added = [
            backlog.add(FramedMessage(text: String(repeating: "é", count: 16 << 10))),
            backlog.add(FramedMessage(opcode: .binary, Array(repeating: 0, count: 32 << 10))),
            backlog.add(FramedMessage(text: "x")),
        ]
        #expect(added == [true, true, false])
    }
}
