import Basics
import CallTesting
import Testing

@testable import ChatCore

@Suite("The driver of a conversation", .timeLimit(.minutes(4)))
struct ConversationTests {
    private let chat = ScriptedChat()
    private let clock = ManualClock()

    private func conversation(_ memory: RecordedMemory = RecordedMemory()) -> Conversation {
        Conversation(own: 101, name: nil, peer: 2, chat, memory, clock: clock, seed: 1)
    }

    private func wait(
        _ conversation: Conversation,
        until condition: (ConversationState) -> Bool
    ) async -> ConversationState {
        for await state in conversation.state.states where condition(state) { return state }
        return conversation.state.state
    }

    private func send(_ text: String, id: String) -> ConversationStateMachine.Command {
        .send(id: id, text: text, media: nil, replyTo: nil, at: ChatTime(microseconds: 0))
    }

    @Test("A conversation opens one socket, and closes the socket when it is finished")
    func lifetime() async {
        let conversation = conversation()
        await withDiscardingTaskGroup { group in
            group.addTask { await conversation.run() }
            let connection = await chat.connection(1)
            #expect(connection.own == 101 && connection.peer == 2)
            connection.open()
            connection.deliver(.hello([:]))
            connection.deliver(.history([], before: nil, hasMore: false))
            _ = await wait(conversation) { $0.link == .open }
            conversation.finish()
        }
        #expect(chat.connections.state.count == 1)
        #expect(chat.connections.state.first?.record.state.closes == 1)
        #expect(conversation.state.state.link == .closed && clock.sleepers == 0)
    }

    @Test("A lost connection is reopened after the wait, and waiting messages are then sent")
    func reconnection() async {
        let memory = RecordedMemory()
        let conversation = conversation(memory)
        await withDiscardingTaskGroup { group in
            group.addTask { await conversation.run() }
            let first = await chat.connection(1)
            first.open()
            first.deliver(.hello([:]))
            first.deliver(.history([], before: nil, hasMore: false))
            _ = await wait(conversation) { $0.link == .open }
            first.lose()
            _ = await wait(conversation) { $0.link == .reconnecting(.network("it broke")) }
            conversation.send(send("hi", id: "a"))
            _ = await wait(conversation) { $0.waitingMessages == 1 }
            while clock.sleepers < 2 { await Task.yield() }
            clock.advance(by: .milliseconds(750))
            let second = await chat.connection(2)
            second.open()
            second.deliver(.hello([:]))
            second.deliver(.history([], before: nil, hasMore: false))
            let frames = await second.frames(1)
            #expect(frames == [ConversationRig.frame("hi", id: "a")])
            // It was kept before it was sent.
            let kept = await memory.kept
            #expect(kept.outbox.map(\.id) == ["a"] && kept.mode == .extended)
            second.deliver(.message(.from(101, to: 2, "hi", id: "a")))
            _ = await wait(conversation) { $0.waitingMessages == 0 }
            conversation.finish()
        }
        let kept = await memory.kept
        #expect(kept.outbox.isEmpty && kept.messages.map(\.text) == ["hi"])
    }

    @Test("An event stream that ends without reporting a loss is treated as a lost connection")
    func droppedEvents() async {
        let conversation = conversation()
        await withDiscardingTaskGroup { group in
            group.addTask { await conversation.run() }
            let connection = await chat.connection(1)
            connection.open()
            connection.end()
            let state = await wait(conversation) { if case .reconnecting = $0.link { true } else { false } }
            let lost = ChatError.network("the server sends more than this program can process")
            #expect(state.link == .reconnecting(lost))
            conversation.finish()
        }
    }

    @Test("Stored messages are shown before the server responds")
    func kept() async {
        var kept = KeptConversation()
        kept.messages = [.from(2, to: 101, "old", id: "m")]
        kept.mode = .extended
        let conversation = conversation(RecordedMemory(kept))
        await withDiscardingTaskGroup { group in
            group.addTask { await conversation.run() }
            let state = await wait(conversation) { !$0.items.isEmpty }
            #expect(state.items.map(\.message.text) == ["old"] && state.link == .connecting)
            conversation.finish()
        }
    }

    @Test("A message that changes repeatedly is stored at most once a second, and when the conversation ends")
    func pace() async {
        let memory = RecordedMemory()
        let conversation = conversation(memory)
        await withDiscardingTaskGroup { group in
            group.addTask { await conversation.run() }
            let connection = await chat.connection(1)
            connection.open()
            connection.deliver(.hello([:]))
            connection.deliver(.history([.from(2, to: 101, "hi", id: "m")], before: nil, hasMore: false))
            // The limit of the first frame, and the pause after the message was kept.
            while clock.sleepers < 2 { await Task.yield() }
            // The mode was kept before.
            #expect(await memory.timesKept == 2)
            for number in 0..<20 {
                connection.deliver(.reaction(id: "m", .like, isAdded: number.isMultiple(of: 2), from: 2))
            }
            connection.deliver(.edit(id: "m", text: "hello", from: 2))
            _ = await wait(conversation) { $0.items.first?.message.text == "hello" }
            #expect(await memory.timesKept == 2)
            clock.advance(by: .seconds(1))
            while await memory.timesKept < 3 { await Task.yield() }
            connection.deliver(.edit(id: "m", text: "bye", from: 2))
            _ = await wait(conversation) { $0.items.first?.message.text == "bye" }
            #expect(await memory.timesKept == 3)
            conversation.finish()
        }
        #expect(await memory.timesKept == 4)
        #expect(await memory.kept.messages.map(\.text) == ["bye"])
    }
}
