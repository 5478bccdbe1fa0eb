import AppFlow
import Basics
import CallCore
import CallTesting
import Testing

@Suite("Calls that are started in the app's room")
@MainActor
struct AppCallTests {
    /// Runs `body` with two apps in one room, both connected and visible to each other.
    func pair<Value: Sendable>(
        _ wire: Wire = Wire(),
        answersAutomatically: Bool = false,
        _ body: @escaping @Sendable (_ ann: AppDriver, _ bob: AppDriver, ManualClock) async throws -> Value
    ) async throws -> Value {
        var callee = try FlowBench.remembered(.callee)
        callee.settings.answersAutomatically = answersAutomatically
        let memories = (FakeMemory(try FlowBench.remembered(.caller)), FakeMemory(callee))
        return try await Simulation.run { clock in
            await withBench(clock, wire) { bench in
                try await bench.app(memories.0, name: "caller") { ann in
                    try await bench.app(memories.1, name: "callee") { bob in
                        try await bob.connect()
                        try await ann.connect()
                        try await ann.room(\.canStartCall)
                        return try await body(ann, bob, clock)
                    }.value
                }.value
            }
        }.unwrapped()
    }

    @Test(
        "A call rings in the callee's room, and both sides return to the room with the call's result",
        .timeLimit(.minutes(4)),
        arguments: [true, false]
    )
    func held(callerHangsUp: Bool) async throws {
        let (ring, words) = try await pair { ann, bob, clock in
            try await ann.room().send(.startCall)
            try await ann.room().send(.startCall)
            let ringing = try await bob.room { $0.ring != nil }
            let ring = ringing.store.state.ring
            ringing.send(.accept)
            ringing.send(.accept)
            let calls = try await [ann.call { $0.call == .connected }, bob.call { $0.call == .connected }]
            try await clock.sleep(for: .seconds(5))
            calls[callerHangsUp ? 0 : 1].send(.hangUp)
            calls[callerHangsUp ? 0 : 1].send(.hangUp)
            let rooms = try await [ann.room { $0.returnReason != nil }, bob.room { $0.returnReason != nil }]
            return (ring, rooms.map(\.store.state))
        }
        #expect(ring == RoomState.Ring(peer: "Ann"))
        let ends = words.map { state -> CallEnd? in
            guard case .callEnded(let summary) = state.returnReason else { return nil }
            return summary.end
        }
        #expect(ends == [.hungUp(by: callerHangsUp ? .us : .peer), .hungUp(by: callerHangsUp ? .peer : .us)])
        #expect(words.allSatisfy { $0.isConnected && $0.canStartCall && $0.ring == nil })
    }

    @Test("A caller whose call is declined sees the decline in the room", .timeLimit(.minutes(4)))
    func declined() async throws {
        let ends = try await pair { ann, bob, _ in
            try await ann.room().send(.startCall)
            try await bob.room { $0.ring != nil }.send(.decline)
            let rooms = try await [ann.room { $0.returnReason != nil }, bob.room { $0.returnReason != nil }]
            return rooms.map(\.store.state.returnReason)
        }.map(\.?.end)
        #expect(ends == [.declined(by: .peer), .declined(by: .us)])
    }

    @Test("If the caller hangs up during ringing, the callee sees a missed call", .timeLimit(.minutes(4)))
    func givenUp() async throws {
        let state = try await pair { ann, bob, _ in
            try await ann.room().send(.startCall)
            try await bob.room { $0.ring != nil }
            try await ann.call().send(.hangUp)
            return try await bob.room { $0.ring == nil && $0.returnReason != nil }.store.state
        }
        #expect(state.returnReason == .callMissed("Ann"))
    }

    @Test(
        "If Calls is not shown, missed calls show a notice and are counted; showing Calls resets the count",
        .timeLimit(.minutes(4)),
        arguments: [true, false]
    )
    func missedElsewhere(isElsewhere: Bool) async throws {
        let (missed, notices, after) = try await pair { ann, bob, _ in
            if isElsewhere { try await bob.settings() }
            try await ann.room().send(.startCall)
            try await bob.room { $0.ring != nil }
            try await ann.call().send(.hangUp)
            try await bob.room { $0.ring == nil && $0.returnReason != nil }
            if isElsewhere { for await count in bob.shell.missedCalls.states where count > 0 { break } }
            let missed = bob.shell.missedCalls.state
            let notices = bob.shell.notices.store.state.shown.map(\.content)
            bob.shell.show(.calls)
            try await bob.calls()
            return (missed, notices, bob.shell.missedCalls.state)
        }
        #expect(missed == (isElsewhere ? 1 : 0) && after == 0)
        #expect(notices == (isElsewhere ? [.callMissed("Ann")] : []))
    }

    @Test("A callee that starts a call waits for an offer and answers it at once", .timeLimit(.minutes(4)))
    func awaited() async throws {
        let (waiting, rang) = try await pair { ann, bob, clock in
            let room = try await bob.room(\.canStartCall)
            room.send(.startCall)
            let call = try await bob.call()
            let waiting = call.store.state
            try await clock.sleep(for: .seconds(3))
            try await ann.room().send(.startCall)
            try await ann.call { $0.call == .connected }
            // The call screen is still the same one.
            for await state in call.store.states where state.call == .connected { break }
            return (waiting, room.store.state.ring)
        }
        #expect(waiting.call == .awaitingOffer)
        #expect(waiting.peer == "Ann")
        #expect(rang == nil)
    }

    @Test(
        "A callee that waits for an offer returns to the room if the user hangs up or the caller leaves",
        .timeLimit(.minutes(4)),
        arguments: [true, false]
    )
    func awaitedInVain(callerLeaves: Bool) async throws {
        let state = try await pair { ann, bob, clock in
            try await bob.room(\.canStartCall).send(.startCall)
            let call = try await bob.call()
            if callerLeaves {
                try await ann.room().send(.disconnect)
                return try await bob.room { $0.returnReason != nil }.store.state
            }
            call.send(.hangUp)
            for await case .room(let room) in bob.flow.screens { return room.store.state }
            throw CancellationError()
        }
        let ann = Participant(username: "Ann", role: .caller)
        #expect(state.returnReason == (callerLeaves ? .peerLeft(ann) : nil))
        #expect(state.canStartCall == !callerLeaves)
    }

    @Test("With automatic answers enabled, a call is answered without ringing", .timeLimit(.minutes(4)))
    func answersAutomatically() async throws {
        let peer = try await pair(answersAutomatically: true) { ann, bob, _ in
            try await ann.room().send(.startCall)
            return try await bob.call { $0.call == .connected }.store.state.peer
        }
        #expect(peer == "Ann")
    }

    @Test(
        "A callee armed for one automatic answer answers the next call, and the call after it rings",
        .timeLimit(.minutes(4))
    )
    func armed() async throws {
        let (hasRung, isArmed, ring) = try await pair { ann, bob, clock in
            let room = try await bob.room()
            room.setArmed(true)
            try await ann.room().send(.startCall)
            let call = try await bob.call { $0.call == .connected }
            let hasRung = room.store.state.ring != nil
            call.send(.hangUp)
            let isArmed = try await bob.room { $0.returnReason != nil }.store.state.isArmed
            try await ann.room(\.canStartCall).send(.startCall)
            return (hasRung, isArmed, try await bob.room { $0.ring != nil }.store.state.ring)
        }
        #expect(!hasRung && !isArmed && ring == RoomState.Ring(peer: "Ann"))
    }

    @Test("Turning automatic answers off makes the next call ring", .timeLimit(.minutes(4)))
    func asksAgain() async throws {
        let ring = try await pair(answersAutomatically: true) { ann, bob, _ in
            bob.flow.settings.send(.setAnswersAutomatically(false))
            try await ann.room().send(.startCall)
            return try await bob.room { $0.ring != nil }.store.state.ring
        }
        #expect(ring?.peer == "Ann")
    }

    @Test("A caller may call although the server reports no participants", .timeLimit(.minutes(4)))
    func silentServer() async throws {
        let memories = (
            FakeMemory(try FlowBench.remembered(.caller)), FakeMemory(try FlowBench.remembered(.callee))
        )
        let (start, ring) = try await Simulation.run { clock in
            await withBench(clock, Wire(sendsRoomState: false)) { bench in
                try await bench.app(memories.1, name: "callee") { bob in
                    try await bob.connect()
                    return try await bench.app(memories.0, name: "caller") { ann in
                        try await ann.connect()
                        let room = try await ann.room { $0.isPresenceUnknown }
                        room.send(.startCall)
                        let ring = try await bob.room { $0.ring != nil }
                        ring.send(.accept)
                        try await ann.call { $0.call == .connected }
                        return (room.store.state.start, ring.store.state.ring)
                    }.value
                }.value
            }
        }.unwrapped()
        #expect(start == .callAnyway)
        #expect(ring != nil)
    }

    enum Moment: String, CaseIterable, Sendable {
        case calling, ringing, connected
    }

    @Test(
        "At any moment of a call, each side returns to its room if the other side leaves",
        .timeLimit(.minutes(4)),
        arguments: Moment.allCases,
        Role.allCases
    )
    func peerLeaves(moment: Moment, leaver: Role) async throws {
        let returnReason = try await pair { ann, bob, clock in
            let (gone, left) = leaver == .caller ? (ann, bob) : (bob, ann)
            try await ann.room().send(.startCall)
            switch moment {
            case .calling: try await ann.call()
            case .ringing: try await bob.room { $0.ring != nil }
            case .connected:
                try await bob.room { $0.ring != nil }.send(.accept)
                try await ann.call { $0.call == .connected }
                try await bob.call { $0.call == .connected }
            }
            gone.flow.router.send(.disconnect)
            let isQuiet = moment == .calling && leaver == .caller
            if isQuiet {
                try await clock.sleep(for: .seconds(1))
                return nil as RoomState.ReturnReason?
            }
            return try await left.room { $0.returnReason != nil && $0.ring == nil }.store.state.returnReason
        }
        guard moment != .calling else { return }
        if moment == .ringing, leaver == .caller {
            #expect(returnReason == .callMissed("Ann"))
        } else {
            #expect(returnReason?.end == .peerLeft)
        }
    }

    @Test(
        "Quitting the app at any moment of a call closes all of its services",
        .timeLimit(.minutes(4)),
        arguments: Moment.allCases,
        Role.allCases
    )
    func quits(moment: Moment, quitter: Role) async throws {
        let participants = try await pair { ann, bob, clock in
            try await ann.room().send(.startCall)
            if moment != .calling { try await bob.room { $0.ring != nil } }
            if moment == .connected {
                try await bob.room().send(.accept)
                try await ann.call { $0.call == .connected }
            }
            (quitter == .caller ? ann : bob).flow.leave()
            for await _ in (quitter == .caller ? ann : bob).flow.screens {}
            let services = (quitter == .caller ? ann : bob).services.counted
            return services.opened - services.closed
        }
        #expect(participants == 0)
    }

    @Test(
        "A lost connection to the server does not end a call, and the room is rejoined after the call",
        .timeLimit(.minutes(4))
    )
    func serverLost() async throws {
        let wire = Wire()
        let (loss, stays) = try await pair(wire) { ann, bob, clock in
            try await ann.room().send(.startCall)
            try await bob.room { $0.ring != nil }.send(.accept)
            let call = try await ann.call { $0.call == .connected }
            try await bob.call { $0.call == .connected }
            wire.lose("Ann")
            try await clock.sleep(for: .seconds(5))
            let isHeld = call.store.state.call == .connected
            call.send(.hangUp)
            let loss = try await ann.room { $0.loss != nil }.store.state.loss
            try await ann.room(\.isConnected)
            return (isHeld ? loss : nil, ann.services.counted.opened)
        }
        #expect(loss?.retryIn == 2)
        #expect(stays == 2)
    }

    @Test("Audio muted in the room is still muted in the call and after it", .timeLimit(.minutes(4)))
    func muted() async throws {
        let controls = try await pair { ann, bob, _ in
            try await ann.room().send(.setMuted(true))
            try await ann.room().send(.startCall)
            try await bob.room { $0.ring != nil }.send(.accept)
            let call = try await ann.call { $0.call == .connected }
            let inCall = call.store.state.controls
            call.send(.setCameraOff(true))
            call.send(.hangUp)
            return [inCall, try await ann.room { $0.returnReason != nil }.store.state.controls]
        }
        #expect(controls.map(\.isMuted) == [true, true])
        #expect(controls.map(\.isCameraOff) == [false, true])
    }
}

extension RoomState.ReturnReason {
    var end: CallEnd? {
        if case .callEnded(let summary) = self { summary.end } else { nil }
    }
}
