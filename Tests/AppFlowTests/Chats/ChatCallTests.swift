import Basics
import CallCore
import CallTesting
import ChatCore
import Synchronization
import Testing

@testable import AppFlow

@Suite("Calls from conversations", .timeLimit(.minutes(4)))
@MainActor
struct ChatCallTests {
    nonisolated static let ann = ChatPerson(id: 1000, name: "Ann", isOnline: true)
    nonisolated static let bob = ChatPerson(id: 1001, name: "Bob", isOnline: true)
    nonisolated static let eve = ChatPerson(id: 1002, name: "Eve", isOnline: true)

    /// An app with a chat.
    struct Side: Sendable {
        let app: AppDriver
        let chat: FakeChat
        let own: ChatPerson

        var shell: AppShell { app.shell }
        var notices: [Notice.Content] { shell.notices.store.state.shown.map(\.content) }
        var model: ChatsViewModel {
            get throws { try #require(shell.chats).model }
        }
        var calls: ChatCalls {
            get throws { try #require(shell.chatCalls) }
        }

        /// Shows the chat, whose inbox is connected.
        func chats() async throws {
            shell.show(.chats)
            for await state in try model.store.states where state.people != nil { break }
            chat.inbox.greet()
            chat.inbox.tell(.conversations([]))
            chat.inbox.tell(.presence(person: 9, isOnline: true))
            for await state in try model.store.states where state.presence[9] == true { break }
        }

        /// Opens the conversation with a person, in which nothing was written.
        func talk(with person: ChatPerson) async throws {
            try await chats()
            try model.send(.open(person))
            await chat.connection(0).greet([])
            for await state in try model.store.states where state.chat?.canBeCalled == true { break }
        }

        /// Waits for the frames that were sent in the inbox.
        func frames(_ count: Int) async -> [String] { await chat.inbox.frames(count) }

        /// Calls the person of the open conversation; returns the room.
        func call() async throws -> Int {
            try model.send(.call)
            let frame = try #require(await frames(1).first)
            guard case .call(let room)? = try ChatRequest.Envelope(frame)?.request else {
                throw CancellationError()
            }
            return room
        }

        /// Lets a person call to a room, and waits until the app rings.
        @discardableResult
        func ring(in room: Int, by caller: ChatPerson) async throws -> ChatRing {
            chat.inbox.tell(.call(room: room, from: caller.id))
            return try await ring()
        }

        /// Waits until the app rings.
        func ring() async throws -> ChatRing {
            for await ring in try calls.ring.states { if let ring { return ring } }
            throw CancellationError()
        }

        /// Waits until the app no longer rings.
        func silence() async throws {
            for await ring in try calls.ring.states where ring == nil { return }
        }

        /// Waits until the conversation with a person is shown.
        func conversation(with person: ChatPerson) async throws {
            for await case .chats(let model) in shell.screens {
                for await state in model.store.states where state.chat?.person.id == person.id { return }
            }
            throw CancellationError()
        }

        func notice(_ content: Notice.Content) async throws {
            for await state in shell.notices.store.states
            where state.shown.contains(where: { $0.content == content }) {
                return
            }
            throw CancellationError()
        }
    }

    /// Runs `body` with two apps that have a chat, whose frames the test passes on.
    ///
    /// A wire has one room; Bob's sessions before and after the first call are in `ownRoom`.
    func pair<Value: Sendable>(
        _ bobMemory: FakeMemory = FakeMemory(),
        ownRoom: Wire? = nil,
        _ body: @escaping @Sendable (_ ann: Side, _ bob: Side, ManualClock) async throws -> Value
    ) async throws -> Value {
        let chats = [Self.ann, Self.bob].map { FakeChat(own: ChatUser(id: $0.id, name: $0.name)) }
        for chat in chats {
            chat.state.withLock { $0.people = .success([Self.ann, Self.bob, Self.eve]) }
        }
        return try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(name: "caller", chat: chats[0]) { ann in
                    try await bench.app(
                        bobMemory,
                        name: "callee",
                        signaling: { ownRoom == nil || $0 == 2 ? bench.wire : ownRoom ?? bench.wire },
                        chat: chats[1]
                    ) { bob in
                        try await body(
                            Side(app: ann, chat: chats[0], own: Self.ann),
                            Side(app: bob, chat: chats[1], own: Self.bob),
                            clock
                        )
                    }.value
                }.value
            }
        }.unwrapped()
    }

    @Test(
        "A call rings with the caller's name, and afterwards both people return to the conversation",
        arguments: [0, 1]
    )
    func held(ending: Int) async throws {
        let (ring, names, isAsked, notices, ends) = try await pair { ann, bob, clock in
            try await bob.chats()
            bob.shell.show(.settings)
            try await ann.talk(with: Self.bob)
            let room = try await ann.call()
            let ring = try await bob.ring(in: room, by: Self.ann)
            try bob.calls.answer(true)
            #expect(await bob.frames(1) == [ChatRequest.Envelope(.answer(room: room), with: 1000).text])
            let calls = try await [
                ann.app.call { $0.call == .connected }, bob.app.call { $0.call == .connected },
            ]
            let names = calls.map(\.store.state.peer)
            let isAsked = calls.contains { $0.store.state.isAsked }
            try await clock.sleep(for: .seconds(5))
            calls[ending].send(.hangUp)
            try await ann.conversation(with: Self.bob)
            try await bob.conversation(with: Self.ann)
            let ends = calls.map(\.store.state.summary?.end)
            return (ring, names, isAsked, ann.notices + bob.notices, ends)
        }
        #expect(Set(ends) == [.hungUp(by: .us), .hungUp(by: .peer)])
        #expect(((1 << 52)...9_007_199_254_740_991).contains(ring.room) && ring.person == Self.ann)
        #expect(names == ["Bob", "Ann"] && !isAsked && notices.isEmpty)
    }

    @Test("A caller hangs up after 45 seconds without an answer, and returns to the conversation")
    func nobody() async throws {
        let (span, frames, screen) = try await pair { ann, _, clock in
            try await ann.talk(with: Self.bob)
            let room = try await ann.call()
            let waiting = try await ann.app.call().store.state
            let begin = clock.now
            try await ann.notice(.chatCall(.unanswered, "Bob"))
            let span = begin.duration(to: clock.now)
            try await ann.conversation(with: Self.bob)
            let end = ChatRequest.Envelope(.hangUp(room: room), with: 1001).text
            return (span, await ann.frames(2).last == end, waiting)
        }
        #expect((Duration.seconds(44)...Duration.seconds(46)).contains(span) && frames)
        #expect(screen.call == .calling && screen.peer == "Bob")
    }

    @Test("A caller who cancels returns to the conversation, and the callee sees a missed call")
    func cancelled() async throws {
        let missed = try await pair { ann, bob, _ in
            try await bob.chats()
            bob.shell.show(.settings)
            try await ann.talk(with: Self.bob)
            let room = try await ann.call()
            try await bob.ring(in: room, by: Self.ann)
            try await ann.app.call().send(.hangUp)
            try await ann.notice(.chatCall(.cancelled, "Bob"))
            try await ann.conversation(with: Self.bob)
            _ = await ann.frames(2)
            bob.chat.inbox.tell(.hangUp(room: room, from: Self.eve.id))
            bob.chat.inbox.tell(.hangUp(room: room, from: Self.ann.id))
            try await bob.silence()
            try await bob.notice(.callMissed("Ann"))
            for side in [ann, bob] {
                for await count in side.app.flow.rememberedCalls.states where count == 1 { break }
            }
            let calls = [ann, bob].map { $0.app.memory.content.calls.map(\.result) }
            #expect(calls == [[.unanswered], [.missed]])
            return bob.shell.missedCalls.state
        }
        #expect(missed == 1)
    }

    @Test("If the callee declines, the caller is notified at once and returns to the conversation")
    func declined() async throws {
        let notices = try await pair { ann, bob, _ in
            try await bob.chats()
            try await ann.talk(with: Self.bob)
            let room = try await ann.call()
            try await bob.ring(in: room, by: Self.ann)
            try bob.calls.answer(false)
            try await bob.silence()
            #expect(await bob.frames(1) == [ChatRequest.Envelope(.hangUp(room: room), with: 1000).text])
            ann.chat.inbox.tell(.hangUp(room: room, from: Self.bob.id))
            try await ann.notice(.chatCall(.declined, "Bob"))
            try await ann.conversation(with: Self.bob)
            return bob.notices
        }
        #expect(notices.isEmpty)
    }

    @Test("A notice reports a call that the server refuses, and the caller stays in the conversation")
    func refused() async throws {
        try await pair { ann, _, _ in
            try await ann.talk(with: Self.bob)
            _ = try await ann.call()
            ann.chat.inbox.tell(.error(code: "offline", message: "cannot be called now", reference: nil))
            try await ann.notice(.chatCall(.unreachable, "Bob"))
            try await ann.conversation(with: Self.bob)
        }
    }

    @Test("A ring that nobody answers ends after 45 seconds as a missed call")
    func unanswered() async throws {
        let (span, missed) = try await pair { _, bob, clock in
            try await bob.chats()
            try await bob.ring(in: 5_000_000_000_700_007, by: Self.ann)
            let begin = clock.now
            try await bob.silence()
            try await bob.notice(.callMissed("Ann"))
            return (begin.duration(to: clock.now), bob.shell.missedCalls.state)
        }
        #expect(span == .seconds(45) && missed == 1)
    }

    @Test("A second call during a call is declined and reported as missed, once per caller")
    func busy() async throws {
        let isRinging = try await pair { ann, bob, _ in
            try await bob.chats()
            try await ann.talk(with: Self.bob)
            let room = try await ann.call()
            try await bob.ring(in: room, by: Self.ann)
            try bob.calls.answer(true)
            try await bob.app.call { $0.call == .connected }
            bob.chat.inbox.tell(.call(room: 5_000_000_000_700_009, from: Self.eve.id))
            bob.chat.inbox.tell(.call(room: 5_000_000_000_700_010, from: Self.eve.id))
            bob.chat.inbox.tell(.call(room: 5_000_000_000_700_011, from: Self.ann.id))
            let frames = await bob.frames(3).dropFirst()
            #expect(
                frames.first == ChatRequest.Envelope(.hangUp(room: 5_000_000_000_700_009), with: 1002).text
            )
            // Eve's second call is not answered again.
            #expect(
                frames.last == ChatRequest.Envelope(.hangUp(room: 5_000_000_000_700_011), with: 1000).text
            )
            try await bob.notice(.callMissed("Eve"))
            return try bob.calls.ring.state != nil
        }
        #expect(!isRinging)
    }

    @Test("After a call, the room that was joined before the call is joined again")
    func rejoined() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.callee))
        let (during, after) = try await pair(memory, ownRoom: Wire()) { ann, bob, _ in
            try await bob.app.connect()
            try await bob.chats()
            try await ann.talk(with: Self.bob)
            let room = try await ann.call()
            try await bob.ring(in: room, by: Self.ann)
            try bob.calls.answer(true)
            let call = try await bob.app.call { $0.call == .connected }
            let during = bob.app.memory.content.identity
            call.send(.hangUp)
            try await bob.conversation(with: Self.ann)
            return (during, try await bob.app.room(\.isConnected).store.state)
        }
        #expect(during == memory.content.identity)
        #expect(after.identity.room == (try RoomID(1)) && after.role == .callee)
    }

    @Test("A person whom the server simulates cannot be called", arguments: [false, true])
    func simulated(isPeerSimulated: Bool) {
        var chat = ChatsViewModel.OpenChat(Self.eve)
        (chat.conversation.mode, chat.conversation.link) = (.extended, .open)
        (chat.conversation.isPeerOnline, chat.conversation.isPeerSimulated) = (true, isPeerSimulated)
        #expect(chat.canBeCalled == !isPeerSimulated)
    }

    @Test("A person who is offline cannot be called")
    func offline() async throws {
        let frames = try await pair { ann, _, _ in
            try await ann.talk(with: Self.bob)
            await ann.chat.connection(0).tell(.presence(person: Self.bob.id, isOnline: false))
            for await state in try ann.model.store.states where state.chat?.isOnline == false { break }
            try ann.model.send(.call)
            ann.chat.inbox.tell(.presence(person: 8, isOnline: true))
            for await state in try ann.model.store.states where state.presence[8] == true { break }
            return ann.chat.inbox.sent.state
        }
        #expect(frames.isEmpty)
    }
}
