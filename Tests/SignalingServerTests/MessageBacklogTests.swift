import Testing

@testable import struct SignalingServer.FramedMessage
@testable import struct SignalingServer.MessageBacklog

@Suite("Message backlog")
struct MessageBacklogTests {
    @Test("At most 64 messages of one client wait for its admission")
    func count() {
        var backlog = MessageBacklog()
        let added = (0..<100).count { _ in backlog.add(FramedMessage(text: "x")) }
        #expect(added == 64)
        #expect(backlog.messages.count == 64)
    }

    @Test("At most 64 KiB of one client wait for its admission")
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
