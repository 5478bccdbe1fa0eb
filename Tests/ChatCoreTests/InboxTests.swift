import Basics
import CallTesting
import Testing

@testable import ChatCore

@Suite("The inbox", .timeLimit(.minutes(4)))
struct InboxTests {
    private struct Rig {
        var machine = InboxStateMachine(own: 101, seed: 1)
        var effects: [InboxStateMachine.Effect] = []
        var connection = 0

        init() { handle(.start) }

        static func open(_ conversations: [ChatConversation]) -> Rig {
            var rig = Rig()
            rig.open(conversations)
            return rig
        }

        mutating func open(_ conversations: [ChatConversation]) {
            handle(.opened(connection: connection))
            receive(.hello([:]))
            receive(.conversations(conversations))
        }

        mutating func handle(_ input: InboxStateMachine.Input) {
            effects = machine.handle(input)
            for case .connect(let number) in effects { connection = number }
        }

        mutating func receive(_ event: ChatEvent, with peer: Int? = nil) {
            handle(.frame(ChatEventEnvelope(event, with: peer).text, connection: connection))
        }

        mutating func lose(_ error: ChatError = .network("it broke"), code: Int? = nil) {
            handle(.lost(error, code: code, connection: connection))
        }

        var state: InboxState { machine.state }

        var wait: Duration? {
            for case .startDeadline(.reconnect, let span, _) in effects { return span }
            return nil
        }
    }

    private static let conversations = [
        ChatConversation(with: 2, last: .from(2, to: 101, "two", id: "m-2", at: 2), unread: 2),
        ChatConversation(with: 3, last: .from(101, to: 3, "three", id: "m-3", at: 3), unread: 0),
    ]

    @Test("Conversations are sorted by their newest messages, and unread messages are counted")
    func list() {
        let rig = Rig.open(Self.conversations)
        #expect(rig.state.conversations.map(\.with) == [3, 2] && rig.state.unread == 2)
        #expect(rig.state.isSupported == true && rig.state.link == .open)
    }

    @Test("A list of conversations clears the blocked people; a confirmed report of a person is forwarded")
    func blocked() {
        var rig = Rig.open(Self.conversations)
        rig.receive(.blocked([2, 9]))
        #expect(rig.state.blocked == [2, 9])
        rig.receive(.reported(person: 9))
        #expect(rig.effects == [.report(.reported(person: 9))])
        rig.receive(.conversations(Self.conversations))
        #expect(rig.state.blocked == [])
    }

    @Test("A new message moves its conversation to the top, and is unread if the other person sent it")
    func message() {
        var rig = Rig.open(Self.conversations)
        let message = ChatMessage.from(2, to: 101, "hi", id: "m-4", at: 4)
        rig.receive(.message(message), with: 2)
        #expect(rig.effects == [.report(.received(message, with: 2))])
        #expect(rig.state.conversations.map(\.with) == [2, 3] && rig.state[with: 2]?.unread == 3)
        rig.receive(.message(message), with: 2)
        #expect(rig.effects.isEmpty && rig.state.unread == 3)
        let own = ChatMessage.from(101, to: 9, "new", id: "m-5", at: 5)
        rig.receive(.message(own), with: 9)
        #expect(rig.effects == [.report(.stored(own, with: 9))])
        #expect(rig.state.conversations.map(\.with) == [9, 2, 3])
        #expect(rig.state.unread == 3)
    }

    @Test("The user's read mark clears the unread messages up to it, and the other person's has no effect")
    func read() {
        var rig = Rig.open(Self.conversations)
        rig.receive(.message(.from(2, to: 101, "a", id: "m-4", at: 4)), with: 2)
        rig.receive(.message(.from(2, to: 101, "b", id: "m-5", at: 5)), with: 2)
        rig.receive(.read(id: "m-5", from: 2), with: 2)
        #expect(rig.state.unread == 4)
        rig.receive(.read(id: "unknown", from: 101), with: 2)
        #expect(rig.state.unread == 4)
        rig.receive(.read(id: "m-4", from: 101), with: 2)
        #expect(rig.state.unread == 1)
        rig.receive(.read(id: "m-5", from: 101), with: 2)
        #expect(rig.state.unread == 0)
    }

    @Test("The last message of a conversation reflects edits and deletion by its sender")
    func changes() {
        var rig = Rig.open(Self.conversations)
        rig.receive(.edit(id: "m-2", text: "forged", from: 101), with: 2)
        #expect(rig.state[with: 2]?.last?.text == "two")
        rig.receive(.edit(id: "m-2", text: "edited", from: 2), with: 2)
        #expect(rig.state[with: 2]?.last?.text == "edited")
        rig.receive(.delete(id: "m-2", from: 2), with: 2)
        #expect(rig.state[with: 2]?.last?.isDeleted == true && rig.state[with: 2]?.last?.text == "")
    }

    @Test("Presence is known only while the connection is open")
    func presence() {
        var rig = Rig.open(Self.conversations)
        rig.receive(.presence(person: 2, isOnline: true), with: 2)
        #expect(rig.state.presence == [2: true, 3: false])
        rig.lose()
        #expect(rig.state.presence.isEmpty && rig.wait != nil)
    }

    @Test("Calls from the other person are reported, and the user's own calls are not")
    func call() {
        var rig = Rig.open([])
        rig.receive(.call(room: 7, from: 2), with: 2)
        #expect(rig.effects == [.report(.call(room: 7, from: 2))])
        rig.receive(.call(room: 7, from: 101), with: 2)
        #expect(rig.effects.isEmpty)
        rig.receive(.hangUp(room: 7, from: 2), with: 2)
        #expect(rig.effects == [.report(.hangUp(room: 7, from: 2))])
    }

    @Test("A hangup on another device of the user settles the other person's call")
    func settled() {
        var rig = Rig.open([])
        rig.receive(.hangUp(room: 7, from: 101), with: 2)
        #expect(rig.effects == [.report(.callSettled(room: 7, with: 2))])
    }

    @Test("An error with a room refuses the call in that room; “offline” without a room refuses any call")
    func refusedCall() {
        var rig = Rig.open([])
        let tooFast = ChatError.refused(code: "too_fast", message: "slowly")
        rig.receive(.error(code: "too_fast", message: "slowly", reference: "7"))
        #expect(rig.effects.first == .report(.callRefused(room: 7, tooFast)) && rig.effects.count == 2)
        let offline = ChatError.refused(code: "offline", message: "nobody")
        rig.receive(.error(code: "offline", message: "nobody", reference: nil))
        #expect(rig.effects.first == .report(.callRefused(room: nil, offline)) && rig.effects.count == 2)
        rig.receive(.error(code: "busy", message: "a search", reference: nil))
        #expect(rig.effects.count == 1)
    }

    @Test(
        "A hangup without a connection is sent later, but only within 45 seconds",
        arguments: [true, false]
    )
    func lateHangUp(isLate: Bool) throws {
        var rig = Rig.open([])
        rig.lose()
        rig.handle(.command(.request(.hangUp(room: 7), with: 2)))
        guard case .startDeadline(.hangUp, .seconds(45), let serial)? = rig.effects.first else {
            Issue.record("no deadline")
            return
        }
        rig.handle(.command(.reconnect))
        if isLate { rig.handle(.deadline(.hangUp, serial: serial)) }
        rig.open([])
        let frame = ChatRequest.Envelope(.hangUp(room: 7), with: 2).text
        #expect(rig.effects.contains(.send(frame, connection: 2)) != isLate)
        rig.lose()
        rig.handle(.command(.reconnect))
        rig.open([])
        #expect(!rig.effects.contains(.send(frame, connection: 3)))
    }

    @Test("A request contains the other person's ID, and fails without a connection")
    func requests() {
        var rig = Rig.open([])
        rig.handle(.command(.request(.call(room: 7), with: 2)))
        let frame = ChatRequest.Envelope(.call(room: 7), with: 2).text
        #expect(rig.effects == [.send(frame, connection: 1)])
        rig.lose()
        rig.handle(.command(.request(.call(room: 7), with: 2)))
        #expect(
            rig.effects == [
                .report(.callRefused(room: 7, .notConnected)),
                .report(.failed(.notConnected, of: .call(room: 7))),
            ]
        )
        rig.handle(.command(.request(.read(id: "m"), with: 2)))
        #expect(rig.effects.isEmpty)
    }

    @Test(
        "A server with the original protocol has no inbox, and is asked again only on request",
        arguments: [0, 1, 2]
    )
    func original(way: Int) {
        var rig = Rig()
        switch way {
        case 0: rig.lose(.status(400))
        case 1:
            rig.handle(.opened(connection: 1))
            rig.lose(code: nil)
        default:
            rig.handle(.opened(connection: 1))
            rig.receive(.history([], before: nil, hasMore: false))
            #expect(rig.effects == [.disconnect(connection: 1)])
        }
        #expect(rig.state.isSupported == false && rig.state.link == .closed && rig.wait == nil)
        rig.handle(.command(.request(.call(room: 7), with: 2)))
        #expect(
            rig.effects == [
                .report(.callRefused(room: 7, .notSupported)),
                .report(.failed(.notSupported, of: .call(room: 7))),
            ]
        )
        rig.handle(.command(.reconnect))
        #expect(rig.effects == [.connect(connection: 2)] && rig.state.isSupported == nil)
    }

    @Test(
        "A connection is retried if the server is unreachable, restarts or requires a token",
        arguments: [
            (ChatError.network("it broke"), nil, false), (.status(503), nil, false),
            (.status(401), nil, false),
            (.network("restart"), 1012, true),
        ]
    )
    func temporary(_ error: ChatError, _ code: Int?, isOpen: Bool) throws {
        var rig = Rig()
        if isOpen { rig.handle(.opened(connection: 1)) }
        rig.lose(error, code: code)
        #expect(rig.state.isSupported == nil && rig.state.link == .reconnecting(error))
        #expect(try #require(rig.wait) <= .milliseconds(750))
    }

    @Test("A server that had an inbox is retried even if it refuses a connection")
    func known() {
        var rig = Rig.open([])
        rig.lose()
        rig.handle(.command(.reconnect))
        rig.lose(.status(404))
        #expect(rig.state.isSupported == true && rig.wait != nil)
    }

    @Test("The driver opens a connection without a peer, and reconnects after the wait")
    func driver() async {
        let (chat, clock) = (ScriptedChat(), ManualClock())
        let inbox = Inbox(own: 101, chat, clock: clock, seed: 1)
        await withDiscardingTaskGroup { group in
            group.addTask { await inbox.run() }
            let first = await chat.connection(1)
            #expect(first.own == 101 && first.peer == nil)
            first.open()
            first.deliver(.hello([:]))
            first.deliver(.conversations(Self.conversations))
            for await state in inbox.state.states where state.unread == 2 { break }
            first.lose()
            for await state in inbox.state.states where state.link == .reconnecting(.network("it broke")) {
                break
            }
            while clock.sleepers < 2 { await Task.yield() }
            clock.advance(by: .milliseconds(750))
            let second = await chat.connection(2)
            second.open()
            inbox.finish()
        }
        #expect(chat.connections.state.map(\.record.state.closes) == [0, 1] && clock.sleepers == 0)
    }
}
