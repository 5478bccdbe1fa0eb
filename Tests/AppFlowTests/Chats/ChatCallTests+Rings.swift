import Basics
import CallCore
import CallTesting
import ChatCore
import Testing

@testable import AppFlow

extension ChatCallTests.Side {
    /// Whether there is a call in another room, or one waits.
    @MainActor var isVisiting: Bool { shell.calls.visit != nil || shell.calls.waitingVisit != nil }

    /// Waits until the app has handled all that the server has told before.
    func settle(_ person: Int) async throws {
        chat.inbox.tell(.presence(person: person, isOnline: true))
        for await state in try model.store.states where state.presence[person] == true { break }
        // Reports follow the state by a few turns of the same actor.
        for _ in 0..<100 { await Task.yield() }
    }
}

extension ChatCallTests {
    @Test("A new call by the same caller does not prolong a ring")
    func prolonged() async throws {
        let span = try await pair { _, bob, clock in
            try await bob.chats()
            try await bob.ring(in: 5_000_000_000_700_007, by: Self.ann)
            let begin = clock.now
            try await clock.sleep(for: .seconds(40))
            bob.chat.inbox.tell(.call(room: 5_000_000_000_700_008, from: Self.ann.id))
            for await ring in try bob.calls.ring.states where ring?.room == 5_000_000_000_700_008 { break }
            try await bob.silence()
            return begin.duration(to: clock.now)
        }
        #expect(span == .seconds(45))
    }

    @Test("A declined caller does not ring again for 30 seconds")
    func declinedBefore() async throws {
        let rooms = try await pair { _, bob, clock in
            try await bob.chats()
            try await bob.ring(in: 5_000_000_000_700_007, by: Self.ann)
            try bob.calls.answer(false)
            try await bob.silence()
            _ = await bob.frames(1)
            bob.chat.inbox.tell(.call(room: 5_000_000_000_700_008, from: Self.ann.id))
            try await bob.settle(11)
            let during = try bob.calls.ring.state
            try await clock.sleep(for: .seconds(31))
            bob.chat.inbox.tell(.call(room: 5_000_000_000_700_009, from: Self.ann.id))
            return (during, try await bob.ring().room)
        }
        #expect(rooms.0 == nil && rooms.1 == 5_000_000_000_700_009)
    }

    @Test("Muting a ringing caller declines the call, and later calls by that caller do not ring")
    func muted() async throws {
        try await pair { _, bob, clock in
            try await bob.chats()
            try await bob.ring(in: 5_000_000_000_700_007, by: Self.ann)
            try bob.calls.mute()
            try await bob.silence()
            #expect(
                await bob.frames(1) == [
                    ChatRequest.Envelope(.hangUp(room: 5_000_000_000_700_007), with: 1000).text
                ]
            )
            #expect(try bob.model.store.state.muted == [Self.ann.id])
            try await clock.sleep(for: .seconds(60))
            bob.chat.inbox.tell(.call(room: 5_000_000_000_700_008, from: Self.ann.id))
            try await bob.settle(11)
            #expect(try bob.calls.ring.state == nil)
        }
    }

    @Test("A call with a room number outside the range reserved for chat calls does not ring")
    func foreignRoom() async throws {
        try await pair { _, bob, _ in
            try await bob.chats()
            bob.chat.inbox.tell(.call(room: 7, from: Self.ann.id))
            try await bob.settle(11)
            #expect(try bob.calls.ring.state == nil && bob.chat.inbox.sent.state.isEmpty)
        }
    }

    @Test(
        "Two people who call each other meet in the room of the lower ID, and their other devices stop ringing",
        arguments: [false, true]
    )
    func mutual(areMuted: Bool) async throws {
        let (rings, frames, answers) = try await pair(ownRoom: Wire()) { ann, bob, _ in
            try await ann.talk(with: Self.bob)
            try await bob.talk(with: Self.ann)
            if areMuted { for side in [ann, bob] { try side.model.send(.mute(true)) } }
            let (room, other) = (try await ann.call(), try await bob.call())
            ann.chat.inbox.tell(.call(room: other, from: Self.bob.id))
            bob.chat.inbox.tell(.call(room: room, from: Self.ann.id))
            try await ann.app.call { $0.call == .connected }
            try await bob.app.call { $0.call == .connected }
            let frames = [await ann.frames(2), await bob.frames(2)]
            let answers = [
                ChatRequest.Envelope(.answer(room: other), with: Self.bob.id).text,
                ChatRequest.Envelope(.answer(room: room), with: Self.ann.id).text,
            ]
            #expect(ann.notices.isEmpty && bob.notices.isEmpty)
            return (try [ann, bob].map { try $0.calls.ring.state }, frames, answers)
        }
        #expect(rings == [nil, nil] && frames.map(\.count) == [2, 2] && frames.map(\.last) == answers)
    }

    @Test("An answer or decline on another device ends the ring, and the call does not count as missed")
    func otherDevice() async throws {
        try await pair { _, bob, _ in
            try await bob.chats()
            bob.shell.show(.settings)
            try await bob.ring(in: 5_000_000_000_700_007, by: Self.ann)
            bob.chat.inbox.tell(.hangUp(room: 5_000_000_000_700_007, from: Self.bob.id), with: Self.eve.id)
            try await bob.settle(11)
            #expect(try bob.calls.ring.state != nil)
            bob.chat.inbox.tell(.hangUp(room: 5_000_000_000_700_007, from: Self.bob.id), with: Self.ann.id)
            try await bob.silence()
            try await bob.settle(12)
            #expect(bob.shell.missedCalls.state == 0 && bob.chat.inbox.sent.state.isEmpty)
        }
    }

    @Test(
        "A call that the server refuses ends at once, and a notice states the reason",
        arguments: [
            ("too_fast", ChatCallFailure.tooFast), ("busy", .busy), ("blocked", .unreachable),
        ]
    )
    func tooMany(code: String, failure: ChatCallFailure) async throws {
        try await pair { ann, _, _ in
            try await ann.talk(with: Self.bob)
            let room = try await ann.call()
            ann.chat.inbox.tell(.error(code: code, message: "too many", reference: String(room)))
            try await ann.notice(.chatCall(failure, "Bob"))
            try await ann.conversation(with: Self.bob)
        }
    }

    @Test("While the inbox is disconnected, calling fails at once with a notice")
    func notConnected() async throws {
        try await pair { ann, _, _ in
            try await ann.talk(with: Self.bob)
            ann.chat.inbox.close()
            for await state in try ann.model.store.states where state.presence[9] == nil { break }
            try ann.model.send(.call)
            try await ann.notice(.chatCall(.unreachable, "Bob"))
            #expect(await !ann.isVisiting)
            #expect(ann.chat.inbox.sent.state.isEmpty && ann.app.memory.content.calls.isEmpty)
        }
    }

    @Test("The refusal of another request does not end a call")
    func otherRefusal() async throws {
        try await pair { ann, _, _ in
            try await ann.talk(with: Self.bob)
            let room = try await ann.call()
            ann.chat.inbox.tell(.error(code: "busy", message: "another search", reference: nil))
            let other = String(room % 999_999 + 1)
            ann.chat.inbox.tell(.error(code: "too_fast", message: "slowly", reference: other))
            try await ann.settle(11)
            #expect(ann.notices.isEmpty)
            try await ann.app.call { $0.call == .calling }
        }
    }

    @Test("Quitting the app while calling sends a hangup to the callee")
    func quit() async throws {
        let frames = try await pair { ann, _, _ in
            try await ann.talk(with: Self.bob)
            let room = try await ann.call()
            ann.shell.quit()
            return (await ann.frames(2), ChatRequest.Envelope(.hangUp(room: room), with: 1001).text)
        }
        #expect(frames.0.last == frames.1)
    }

    @Test("A call answered while the user is leaving a room begins once the room has been left")
    func departure() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.callee))
        try await pair(memory, ownRoom: Wire()) { ann, bob, _ in
            try await bob.app.connect()
            try await bob.chats()
            try await ann.talk(with: Self.bob)
            let room = try await ann.call()
            try await bob.ring(in: room, by: Self.ann)
            bob.shell.calls.router.send(.disconnect)
            try bob.calls.answer(true)
            try await bob.app.call { $0.call == .connected }
        }
    }

    @Test("A call that is prevented by a logout or an early cancellation is reported as cancelled only once")
    func logout() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.callee))
        let ends = try await pair(memory, ownRoom: Wire()) { _, bob, _ in
            try await bob.app.connect()
            return try await Self.endTwoVisits(bob)
        }
        #expect(ends == [.cancelled, .cancelled])
    }

    private static func endTwoVisits(_ bob: Side) async throws -> [VisitEnd.Result] {
        let flow = bob.shell.calls
        let (ends, end) = AsyncStream.makeStream(of: VisitEnd.self)
        flow.visitEnded = { end.yield($0) }
        let visits = try (7...8).map { number in
            RoomVisit(
                identity: Identity(
                    username: try Username("Bob"),
                    room: try RoomID(5_000_000_000_700_000 + number)
                ),
                role: .callee,
                peer: "Ann"
            )
        }
        flow.router.send(.logout)
        flow.begin(visits[0])
        _ = try await bob.app.login()
        flow.begin(visits[1])
        flow.cancelVisit(visits[1].identity.room)
        var results: [VisitEnd.Result] = []
        for await end in ends {
            results.append(end.result)
            if results.count == 2 { break }
        }
        #expect(flow.waitingVisit == nil && flow.cancelledVisit == nil && flow.visit == nil)
        return results
    }

    @Test("When another user signs in to the chat, ringing ends without a reply to the caller")
    func anotherUser() async throws {
        try await pair { _, bob, _ in
            try await bob.chats()
            try await bob.ring(in: 5_000_000_000_700_007, by: Self.ann)
            await bob.shell.chats?.use(ChatUser(id: 1003, name: "Dan"))
            try await bob.silence()
            #expect(bob.chat.inbox.sent.state.isEmpty)
        }
    }

    @Test("If the chat closes while two people call each other, no call begins")
    func endedMeeting() async throws {
        try await pair(ownRoom: Wire()) { _, bob, _ in
            try await bob.talk(with: Self.ann)
            _ = try await bob.call()
            let events = try #require(bob.shell.chats).calls.continuation
            events.yield(.rang(room: 5_000_000_000_700_007, from: Self.ann))
            events.yield(.closed)
            try await bob.notice(.chatCall(.unreachable, "Ann"))
            try await bob.settle(11)
            #expect(await !bob.isVisiting)
        }
    }

    @Test("After a change of the user, a caller whom the previous user declined rings again")
    func declinedByAnotherUser() async throws {
        let room = try await pair { _, bob, _ in
            try await bob.chats()
            try await bob.ring(in: 5_000_000_000_700_007, by: Self.ann)
            try bob.calls.answer(false)
            try await bob.silence()
            let events = try #require(bob.shell.chats).calls.continuation
            events.yield(.closed)
            events.yield(.rang(room: 5_000_000_000_700_008, from: Self.ann))
            return try await bob.ring().room
        }
        #expect(room == 5_000_000_000_700_008)
    }

    @Test("Missed calls of at most 1,000 people are reported within the time limit of a ring")
    func tooManyPeople() {
        let clock = ManualClock()
        var recent = RecentRings(clock: clock)
        let told = (1...1001).filter { recent.tell($0) }
        clock.advance(by: ChatCalls.ringLimit)
        let later = (1001...1002).filter { recent.tell($0) }
        #expect(told == Array(1...1000) && later == [1001, 1002])
    }

    @Test("While a chat call rings, a call in the joined room is declined and reported as missed")
    func roomRing() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.callee))
        try await pair(memory) { ann, bob, _ in
            try await bob.app.connect()
            try await bob.chats()
            try await bob.ring(in: 5_000_000_000_700_007, by: Self.eve)
            try await bob.app.room(\.isConnected)
            let login = try await ann.app.login()
            login.send(.setUsername("Ann"))
            login.send(.setRoom("1"))
            login.send(.proceed)
            try await ann.app.room().send(.setRole(.caller))
            try await ann.app.connect()
            try await ann.app.room(\.canStartCall).send(.startCall)
            try await ann.app.room { $0.returnReason != nil }
            #expect(try bob.calls.ring.state != nil)
            try await bob.notice(.callMissed("Ann"))
        }
    }

    @Test("A ringing chat call is declined when a call in the joined room begins")
    func callAbove() async throws {
        var content = try FlowBench.remembered(.callee)
        content.settings.answersAutomatically = true
        try await pair(FakeMemory(content)) { ann, bob, _ in
            try await bob.app.connect()
            try await bob.chats()
            try await bob.ring(in: 5_000_000_000_700_007, by: Self.eve)
            let login = try await ann.app.login()
            login.send(.setUsername("Ann"))
            login.send(.setRoom("1"))
            login.send(.proceed)
            try await ann.app.room().send(.setRole(.caller))
            try await ann.app.connect()
            try await ann.app.room(\.canStartCall).send(.startCall)
            try await bob.app.call { $0.call == .connected }
            try await bob.silence()
            #expect(
                await bob.frames(1) == [
                    ChatRequest.Envelope(.hangUp(room: 5_000_000_000_700_007), with: 1002).text
                ]
            )
        }
    }
}
