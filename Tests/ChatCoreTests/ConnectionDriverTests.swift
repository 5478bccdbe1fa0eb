import Testing

@testable import ChatCore

@Suite("The connections of the chat", .timeLimit(.minutes(4)))
struct ConnectionDriverTests {
    @Test("A frame is delivered only after the previous one has been handled, and none after the close")
    func turns() async {
        let connection = ScriptedConnection(own: 1, peer: nil)
        let (inputs, sink) = AsyncStream.makeStream(of: InboxStateMachine.Input.self)
        var got = inputs.makeAsyncIterator()
        await withDiscardingTaskGroup { group in
            var driver = ConnectionDriver(clock: ContinuousClock(), inputs: sink) { connection }
            driver.connect(1, in: &group)
            for frame in ["a", "b", "c", "d"] { connection.deliver(frame) }
            #expect(await got.next()?.frame == "a")
            driver.didHandle(.frame("of another connection", connection: 2))
            driver.didHandle(.frame("a", connection: 1))
            #expect(await got.next()?.frame == "b")
            driver.disconnect()
            guard case .lost = await got.next() else {
                Issue.record("a frame came after the connection was closed")
                return
            }
        }
    }
}

extension InboxStateMachine.Input {
    fileprivate var frame: String? {
        if case .frame(let frame, _) = self { frame } else { nil }
    }
}
