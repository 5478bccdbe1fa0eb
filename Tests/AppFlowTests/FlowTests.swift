import AppFlow
import Basics
import CallCore
import CallTesting
import Testing

@Suite("Runs of two command-line clients")
@MainActor
struct FlowTests {
    @Test("Two command-line clients connect, hang up and leave the room", .timeLimit(.minutes(4)))
    func call() async throws {
        let result = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let (ours, theirs) = (bench.media(.caller), bench.media(.callee))
                async let callee = bench.run(try bench.plan(.callee), media: theirs)
                async let caller = bench.run(
                    try bench.plan(.caller) { $0.options.duration = .seconds(10) },
                    media: ours
                )
                return try await (caller, callee, ours.open + theirs.open, bench.wire.participants)
            }
        }.unwrapped()
        let (caller, callee, open, participants) = result
        #expect(
            caller.states
                == ["idle", "calling", "offering", "awaiting-answer", "connecting", "connected", "ended"]
        )
        #expect(callee.states == ["awaiting-offer", "answering", "connecting", "connected", "ended"])
        #expect(caller.outcome.exit == .success)
        #expect(callee.outcome.exit == .success)
        #expect(callee.ends == [.peerLeft])
        #expect(caller.outcome.calls == 1)
        #expect(caller.outcome.attempts == 1)
        #expect(caller.outcome.setup?.dtls == 0)
        #expect(open == 0)
        #expect(participants.isEmpty)
    }

    @Test("A callee's room events arrive in the expected order", .timeLimit(.minutes(4)))
    func events() async throws {
        let callee = try await Simulation.run { clock in
            await withBench(clock) { bench in
                async let caller = bench.run(
                    try bench.plan(.caller) { $0.options.duration = .seconds(1) },
                    media: bench.media(.caller)
                )
                async let callee = bench.run(try bench.plan(.callee), media: bench.media(.callee))
                _ = try await caller
                return try await callee
            }
        }.unwrapped()
        let room = callee.events.filter { if case .call = $0 { false } else { true } }
        let ann = Participant(username: "Ann", role: .caller)
        #expect(
            room.map { "\($0)".prefix { $0 != "(" } }
                == ["signalingConnected", "roomJoined", "peerJoined", "peerLeft", "closing"]
        )
        let isWaiting = callee.events.firstIndex { $0 == .call(.state(.awaitingOffer)) }
        let hasJoined = callee.events.firstIndex { if case .roomJoined = $0 { true } else { false } }
        #expect(try #require(hasJoined) < #require(isWaiting))
        #expect(room.contains(.peerJoined(ann)) && room.contains(.peerLeft(ann)))
    }

    @Test(
        "Without a participant list, both sides connect in either order of joining",
        .timeLimit(.minutes(4)),
        arguments: Role.allCases
    )
    func silentServer(first: Role) async throws {
        let records = try await Simulation.run { clock in
            await withBench(clock, Wire(sendsRoomState: false)) { bench in
                let duration: @Sendable (inout CallPlan) -> Void = { plan in
                    if plan.role == .caller { plan.options.duration = .seconds(5) }
                }
                async let early = bench.run(try bench.plan(first, duration), media: bench.media(first))
                try? await clock.sleep(for: .seconds(30))
                async let late = bench.run(
                    try bench.plan(first.opposite, duration),
                    media: bench.media(first.opposite)
                )
                return try await [early, late]
            }
        }.unwrapped()
        #expect(records.map(\.outcome.exit) == [.success, .success])
        let caller = records[first == .caller ? 0 : 1]
        #expect(caller.attempts == (first == .caller ? ["1 blind", "1"] : ["1 blind"]))
        #expect(caller.ends == [.duration(.seconds(5))])
    }

    @Test("The requested number of calls is made, with a pause between them", .timeLimit(.minutes(4)))
    func repeated() async throws {
        let (caller, callee, time) = try await Simulation.run { clock in
            await withBench(clock) { bench in
                async let callee = bench.run(
                    try bench.plan(.callee) { $0.calls = 3 },
                    media: bench.media(.callee)
                )
                async let caller = bench.run(
                    try bench.plan(.caller) { plan in
                        plan.calls = 3
                        plan.pause = .seconds(2)
                        plan.options.duration = .seconds(1)
                    },
                    media: bench.media(.caller)
                )
                return try await (caller, callee, clock.now.offset)
            }
        }.unwrapped()
        #expect(caller.outcome.calls == 3)
        #expect(callee.outcome.calls == 3)
        #expect(callee.ends.prefix(2) == [.hungUp(by: .peer), .hungUp(by: .peer)])
        #expect(caller.outcome.exit == .success)
        #expect(callee.outcome.exit == .success)
        // 1 + 2 + 1 + 2 + 1 s, and the half second before the caller's leave ends the callee's last call.
        #expect(time == .milliseconds(7500))
    }

    @Test("A peer that hung up and stays in the room is not called until it rejoins", .timeLimit(.minutes(4)))
    func stays() async throws {
        let caller = try await Simulation.run { clock in
            await withBench(clock) { bench in
                async let caller = bench.run(
                    try bench.plan(.caller) { plan in
                        plan.stays = true
                        plan.options.duration = .seconds(10)
                    },
                    media: bench.media(.caller)
                ) { flow, clock in
                    try? await clock.sleep(for: .seconds(600))
                    flow.leave()
                }
                // Hangs up after 3 s and stays in the room until 50 s have passed.
                async let first = bench.run(
                    try bench.plan(.callee) { plan in
                        plan.stays = true
                        plan.options.duration = .seconds(3)
                    },
                    media: bench.media(.callee)
                ) { flow, clock in
                    try? await clock.sleep(for: .seconds(50))
                    flow.leave()
                }
                _ = try await first
                try? await clock.sleep(for: .seconds(50))
                _ = await bench.run(try bench.plan(.callee), media: bench.media(.callee))
                return try await caller
            }
        }.unwrapped()
        #expect(caller.ends == [.hungUp(by: .peer), .duration(.seconds(10))])
        #expect(caller.outcome.exit == .success)
    }

    @Test("After a hangup that the peer ignores, the caller leaves and rejoins", .timeLimit(.minutes(4)))
    func foreignHangUp() async throws {
        let (caller, heard) = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let foreign = bench.wire.join(Participant(username: "Bob", role: .callee))
                async let caller = bench.run(
                    try bench.plan(.caller) { $0.stays = true },
                    media: bench.media(.caller)
                ) { flow, clock in
                    for await case .call(let call) in flow.screens {
                        try? await clock.sleep(for: .seconds(1))
                        call.send(.hangUp)
                        try? await clock.sleep(for: .seconds(10))
                        flow.leave()
                    }
                }
                var heard: [RoomEvent] = []
                for await event in foreign.events {
                    heard.append(event)
                    if clock.now.offset > .seconds(5) { break }
                }
                return try await (caller, heard)
            }
        }.unwrapped()
        let ann = Participant(username: "Ann", role: .caller)
        #expect(caller.ends == [.hungUp(by: .us)])
        #expect(heard.filter { $0 == .peerLeft(ann) }.count == 2)
        #expect(heard.contains { if case .message(.hangup, _) = $0 { true } else { false } })
    }

    @Test(
        "A callee without automatic answers rings until the user accepts or declines the call",
        .timeLimit(.minutes(4)),
        arguments: [CallViewModel.Action.accept, .decline]
    )
    func asked(action: CallViewModel.Action) async throws {
        let (caller, callee) = try await Simulation.run { clock in
            await withBench(clock) { bench in
                async let callee = bench.run(
                    try bench.plan(.callee) { $0.options.autoAnswers = false },
                    media: bench.media(.callee)
                ) { flow, clock in
                    for await case .call(let call) in flow.screens {
                        try? await clock.sleep(for: .seconds(20))
                        call.send(action)
                    }
                }
                async let caller = bench.run(
                    try bench.plan(.caller) { $0.options.duration = .seconds(5) },
                    media: bench.media(.caller)
                )
                return try await (caller, callee)
            }
        }.unwrapped()
        #expect(caller.attempts == ["1"])
        #expect(caller.states.contains("ringing") && callee.states.contains("ringing"))
        #expect(caller.outcome.exit == (action == .accept ? .success : .timedOut))
        #expect(caller.ends == [action == .accept ? .duration(.seconds(5)) : .declined(by: .peer)])
        #expect(callee.outcome.exit == .success)
    }

    @Test("Audio and video that are switched off stay off in the next call", .timeLimit(.minutes(4)))
    func controls() async throws {
        let off = StateStore<[Bool]>([])
        let (isMuted, isCameraOff, seen) = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let media = bench.media(.caller)
                async let callee = bench.run(
                    try bench.plan(.callee) { $0.calls = 2 },
                    media: bench.media(.callee)
                )
                async let caller = bench.run(
                    try bench.plan(.caller) { plan in
                        plan.calls = 2
                        plan.options.duration = .seconds(5)
                    },
                    media: media
                ) { flow, clock in
                    var last: CallViewModel?
                    for await case .call(let call) in flow.screens where call !== last {
                        last = call
                        let controls = call.store.state.controls
                        off.update { $0.append(controls.isMuted && controls.isCameraOff) }
                        guard off.state.count == 1 else { continue }
                        call.send(.setMuted(true))
                        call.send(.setCameraOff(true))
                    }
                }
                let record = try await (caller, callee).0
                return (media.isMuted, media.isCameraOff, record.outcome.calls)
            }
        }.unwrapped()
        #expect(isMuted && isCameraOff)
        #expect(off.state == [false, true])
        #expect(seen == 2)
    }
}

extension Optional {
    struct Stuck: Error {}

    /// Returns the result of a simulation; throws `Stuck` if all of its tasks waited forever.
    func unwrapped<Value>() throws -> Value where Wrapped == Result<Value, any Error> {
        guard let self else { throw Stuck() }
        return try self.get()
    }
}

func withBench<Value: Sendable>(
    _ clock: any Clock<Duration>,
    _ wire: Wire = Wire(),
    _ body: @Sendable (FlowBench) async throws -> Value
) async -> Result<Value, any Error> {
    do { return .success(try await body(FlowBench(clock, wire: wire))) } catch { return .failure(error) }
}
