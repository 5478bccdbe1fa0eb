import AppFlow
import Basics
import CallCore
import CallTesting
import Testing

@Suite("The app's Room screen, before and after calls")
@MainActor
struct RoomTests {
    private let ann = Participant(username: "Ann", role: .caller)
    private let bob = Participant(username: "Bob", role: .callee)

    @Test("Connecting locks the role and shows a peer of the opposite role", .timeLimit(.minutes(4)))
    func connects() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let (states, participants) = try await Simulation.run { [bob] clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    let room = try await app.connect()
                    let alone = room.store.state
                    _ = bench.wire.join(bob)
                    let paired = try await app.room { $0.peer != nil }.store.state
                    room.send(.connect)
                    room.send(.setRole(.callee))
                    try await clock.sleep(for: .seconds(1))
                    return ([alone, paired, room.store.state], bench.wire.participants)
                }
            }
        }.unwrapped().value
        #expect(states[0].start == .unavailable && !states[0].canChangeRole && states[0].peer == nil)
        #expect(states[1].peer == bob && states[1].start == .call)
        #expect(states[2].role == .caller && states[2].isConnected)
        #expect(participants.count == 2)
    }

    @Test("A participant of the same role is shown and cannot be called", .timeLimit(.minutes(4)))
    func rival() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let eve = Participant(username: "Eve", role: .caller)
        let state = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    try await app.connect()
                    _ = bench.wire.join(eve)
                    return try await app.room { $0.rival != nil }.store.state
                }
            }
        }.unwrapped().value
        #expect(state.rival == eve && state.peer == nil && !state.canStartCall)
    }

    @Test("A peer's leave disables the call button", .timeLimit(.minutes(4)), arguments: Role.allCases)
    func peerLeaves(role: Role) async throws {
        let memory = FakeMemory(try FlowBench.remembered(role))
        let peer = role == .caller ? bob : ann
        let state = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    try await app.connect()
                    let end = bench.wire.join(peer)
                    try await app.room(\.canStartCall)
                    end.leave()
                    return try await app.room { !$0.canStartCall }.store.state
                }
            }
        }.unwrapped().value
        #expect(state.peer == nil && state.isConnected)
    }

    @Test(
        "A lost connection unlocks the role, clears the peer, and shows the reason and a countdown",
        .timeLimit(.minutes(4)),
        arguments: [false, true]
    )
    func lost(retriesAtOnce: Bool) async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let result = try await Simulation.run { [bob] clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    _ = bench.wire.join(bob)
                    try await app.connect()
                    let began = clock.now.offset
                    bench.wire.lose("Ann")
                    let lost = try await app.room { $0.canChangeRole }.store.state
                    if retriesAtOnce { try await app.room().send(.connect) }
                    try await app.room { $0.peer != nil }
                    return (lost, clock.now.offset - began)
                }
            }
        }.unwrapped()
        let (state, span) = result.value
        #expect(state.loss?.retryIn == 2)
        #expect(state.peer == nil && !state.canStartCall && state.role == .caller)
        #expect(span == (retriesAtOnce ? .zero : .seconds(2)))
        #expect(result.services.opened == 2 && result.services.closed == 2)
    }

    @Test("The countdown to a retry is updated each second, and Cancel stops it", .timeLimit(.minutes(4)))
    func countdown() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let refused = SignalingFailure.unreachable(url: "http://here", detail: "connection refused")
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let app = try await bench.app(
                    memory,
                    signaling: { _ in ScriptedSignaling([.failed(refused)]) }
                ) {
                    app in
                    try await app.room().send(.connect)
                    // The delay is 2 s after the first failure and 4 s after the second one. A manual
                    // retry resets it to 2 s.
                    for left in [2, 1, 4, 3] { try await app.room { $0.loss?.retryIn == left } }
                    try await app.room().send(.connect)
                    for left in [2, 1] { try await app.room { $0.loss?.retryIn == left } }
                    try await app.room().send(.disconnect)
                    try await clock.sleep(for: .seconds(60))
                    return app.services.counted.opened
                }
                return app
            }
        }.unwrapped()
        #expect(run.value == 3)
        #expect(
            run.events.contains {
                if case .error(let error) = $0 { error.code == "server-unreachable" } else { false }
            }
        )
        #expect(run.outcome.exit == .success)
    }

    @Test(
        "A refusal by the server is shown, and joining is not retried automatically",
        .timeLimit(.minutes(4)),
        arguments: [SignalingFailure.roomFull, .roleTaken, .unauthorized("no token")]
    )
    func refusals(failure: SignalingFailure) async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(
                    memory,
                    signaling: { stay -> any SignalingService in
                        stay == 1 ? ScriptedSignaling([.failed(failure)]) as any SignalingService : bench.wire
                    }
                ) { app in
                    try await app.room().send(.connect)
                    let state = try await app.room { $0.loss != nil }.store.state
                    try await clock.sleep(for: .seconds(600))
                    let stays = app.services.counted.opened
                    try await app.room().send(.setRole(.callee))
                    try await app.connect()
                    return (state, stays)
                }
            }
        }.unwrapped()
        let (state, stays) = run.value
        #expect(state.connection == .disconnected(RoomLoss(reason: .failed(Diagnosis(failure)))))
        #expect(stays == 1)
    }

    @Test("Cancel ends an attempt to connect without an error", .timeLimit(.minutes(4)))
    func cancel() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory, signaling: { _ in ScriptedSignaling([]) }) { app in
                    try await app.room().send(.connect)
                    let room = try await app.room { $0.connection == .connecting }
                    room.send(.disconnect)
                    room.send(.disconnect)
                    return try await app.room { $0.canChangeRole }.store.state.connection
                }
            }
        }.unwrapped()
        #expect(run.value == .disconnected(nil))
        #expect(run.services.closed == 1)
    }

    @Test(
        "A media failure is shown in the room, and connecting is not retried automatically",
        .timeLimit(.minutes(4))
    )
    func media() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let failure = CallMediaFailure.local(.source(message: "no such file", hint: "see --source"))
        let (state, stays) = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory, preparation: .fails(failure)) { app in
                    try await app.room().send(.connect)
                    let state = try await app.room { $0.loss != nil }.store.state
                    try await clock.sleep(for: .seconds(600))
                    return (state, app.services.counted.opened)
                }
            }
        }.unwrapped().value
        #expect(state.canChangeRole)
        #expect(state.loss == RoomLoss(reason: .failed(Diagnosis(failure))))
        #expect(stays == 1)
    }

    @Test(
        "Muted audio stays muted in the next connection, but not after a logout",
        .timeLimit(.minutes(4))
    )
    func muted() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    try await app.room().send(.setMuted(true))
                    try await app.connect()
                    bench.wire.lose("Ann")
                    try await app.room { $0.loss != nil }
                    let room = try await app.connect()
                    room.send(.logout)
                    let login = try await app.login()
                    login.send(.setUsername("Eve"))
                    login.send(.setRoom("1"))
                    login.send(.proceed)
                    let controls = try await app.room().store.state.controls
                    try await app.connect()
                    return controls
                }
            }
        }.unwrapped()
        #expect(run.services.muted == [true, true, false])
        #expect(!run.value.isMuted)
    }

    @Test("A server from the command line is used, but not saved", .timeLimit(.minutes(4)))
    func otherServer() async throws {
        var content = try FlowBench.remembered(.caller)
        content.settings.server = "https://usual.example"
        let memory = FakeMemory(content)
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory, server: "https://other.example") { app in
                    app.flow.settings.send(.setTheme(.dark))
                    try await app.connect()
                }
            }
        }.unwrapped()
        #expect(run.services.settings.map(\.server) == ["https://other.example"])
        #expect(memory.content.settings.server == "https://usual.example")
        #expect(memory.content.settings.theme == .dark)
    }

    @Test(
        "In every state, a logout leaves the room, deletes the identity and returns to the Login screen",
        .timeLimit(.minutes(4)),
        arguments: ["lobby", "connecting", "connected", "call"]
    )
    func logout(moment: String) async throws {
        var content = try FlowBench.remembered(.caller)
        content.token = "secret"
        content.settings.theme = .dark
        let memory = FakeMemory(content)
        let run = try await Simulation.run { [bob] clock in
            await withBench(clock) { bench in
                let callee = bench.media(.callee)
                async let other = bench.run(try bench.plan(.callee), media: callee)
                let run = try await bench.app(
                    memory,
                    signaling: { _ -> any SignalingService in
                        moment == "connecting" ? ScriptedSignaling([]) as any SignalingService : bench.wire
                    }
                ) { app in
                    let room = try await app.room()
                    switch moment {
                    case "lobby": break
                    case "connecting":
                        room.send(.connect)
                        try await app.room { $0.connection == .connecting }
                    case "connected": try await app.connect()
                    default:
                        try await app.connect()
                        try await app.room(\.canStartCall)
                        room.send(.startCall)
                        try await app.call { $0.call == .connected }
                    }
                    room.send(.logout)
                    let state = try await app.login().store.state
                    room.send(.logout)
                    return (state, bench.wire.participants)
                }
                if moment != "call" { bench.wire.emitToAll(.failed(.unauthorized("end"))) }
                _ = try await other
                _ = bob
                return run
            }
        }.unwrapped()
        #expect(run.value.0.username.isEmpty && run.value.0.room.isEmpty)
        #expect(!run.value.1.contains(ann))
        #expect(memory.content.identity == nil && memory.content.token == nil)
        #expect(memory.content.settings.theme == .dark)
        #expect(run.services.opened == run.services.closed)
    }
}
