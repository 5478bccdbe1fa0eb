import AppFlow
import Basics
import CallCore
import CallTesting
import Testing

/// The rules for a run that stays in the room after a call.
@Suite("Staying in the room after a call")
@MainActor
struct StayingTests {
    @Test("Failed signaling ends a run that stays in the room, but not its call", .timeLimit(.minutes(4)))
    func signalingGone() async throws {
        let caller = try await Simulation.run { clock in
            await withBench(clock) { bench in
                async let callee = bench.run(try bench.plan(.callee), media: bench.media(.callee))
                let caller = await bench.run(
                    try bench.plan(.caller) { plan in
                        plan.stays = true
                        plan.options.duration = .seconds(5)
                    },
                    media: bench.media(.caller)
                ) { _, clock in
                    try? await clock.sleep(for: .seconds(2))
                    bench.wire.emitToAll(.failed(.badEvent("too large")))
                }
                _ = try await callee
                return caller
            }
        }.unwrapped()
        #expect(caller.ends == [.duration(.seconds(5))])
        #expect(caller.outcome.exit == .signalingFailed)
        #expect(caller.errors.map(\.code) == ["bad-event"])
    }

    @Test("An unusable offer does not end a run that stays in the room", .timeLimit(.minutes(4)))
    func visitor() async throws {
        let callee = try await Simulation.run { clock in
            await withBench(clock) { bench in
                async let callee = bench.stay(.callee, for: .seconds(60))
                try await clock.sleep(for: .seconds(1))
                let visitor = bench.wire.join(Participant(username: "Eve", role: .caller))
                await visitor.send(.offer(.init("no description")), to: nil)
                try await clock.sleep(for: .seconds(2))
                visitor.leave()
                try await clock.sleep(for: .seconds(30))
                _ = await bench.run(
                    try bench.plan(.caller) { $0.options.duration = .seconds(5) },
                    media: bench.media(.caller)
                )
                return try await callee
            }
        }.unwrapped()
        #expect(callee.outcome.calls == 2)
        #expect(callee.ends.last == .peerLeft)
    }

    @Test("A caller that stays in the room redials with growing delays", .timeLimit(.minutes(4)))
    func redials() async throws {
        let caller = try await Simulation.run { clock in
            await withBench(clock) { bench in
                async let callee = bench.stay(.callee, for: .seconds(100))
                let script: FlowBench.Script = { number in
                    .with { $0.failure = number < 4 ? .iceFailed(detail: "simulated") : nil }
                }
                // The redials follow after 10, 20 and 40 s.
                let caller = try await bench.stay(.caller, for: .seconds(75), script: script) {
                    $0.options.retries = 0
                }
                _ = try await callee
                return caller
            }
        }.unwrapped()
        #expect(caller.outcome.calls == 4)
        #expect(caller.ends.last == .hungUp(by: .us))
        #expect(caller.states.count { $0 == "connected" } == 1)
    }

    /// Runs a caller that stays in the room for ten minutes, while `script` simulates its peer Bob.
    private func stay(
        _ session: FakeMedia.Script = FakeMedia.Script(),
        with script: @escaping @Sendable (FlowBench) async throws -> Void
    ) async throws -> FlowRecord {
        try await Simulation.run { clock in
            await withBench(clock) { bench in
                let first: FlowBench.Script = { $0 == 1 ? session : .init() }
                async let caller = bench.stay(.caller, for: .seconds(600), script: first) {
                    $0.options.retries = 0
                }
                try await script(bench)
                return try await caller
            }
        }.unwrapped()
    }

    private nonisolated static let bob = Participant(username: "Bob", role: .callee)

    @Test("A peer that declined is not called again", .timeLimit(.minutes(4)))
    func declined() async throws {
        let caller = try await stay { bench in
            let bob = bench.wire.join(Self.bob)
            try await bench.clock.sleep(for: .seconds(1))
            await bob.send(.hangup(offerID: "caller1", reason: "declined"), to: nil)
            try await bench.clock.sleep(for: .seconds(700))
            bob.leave()
        }
        #expect(caller.ends == [.declined(by: .peer)])
    }

    @Test("A decline cancels the redial scheduled after an earlier failure", .timeLimit(.minutes(4)))
    func declinedAfterMishap() async throws {
        let caller = try await stay(.with { $0.offers = .fails(.iceFailed(detail: "simulated")) }) { bench in
            let first = bench.wire.join(Self.bob)
            try await bench.clock.sleep(for: .seconds(5))
            first.leave()
            let again = bench.wire.join(Self.bob)
            try await bench.clock.sleep(for: .seconds(1))
            await again.send(.hangup(offerID: "caller2", reason: "declined"), to: nil)
            try await bench.clock.sleep(for: .seconds(700))
            again.leave()
        }
        #expect(caller.ends == [.media(.iceFailed(detail: "simulated")), .declined(by: .peer)])
    }

    @Test("A peer that let a call ring unanswered is not called again", .timeLimit(.minutes(4)))
    func unanswered() async throws {
        let caller = try await stay { bench in
            let bob = bench.wire.join(Self.bob)
            try await bench.clock.sleep(for: .seconds(1))
            await bob.send(.ringing(offerID: "caller1"), to: nil)
            try await bench.clock.sleep(for: .seconds(700))
            bob.leave()
        }
        #expect(caller.ends == [.timedOut(.answer)])
    }

    @Test("A peer with a wrong certificate is not called again", .timeLimit(.minutes(4)))
    func unverified() async throws {
        let failure = CallMediaFailure.unverifiedPeer(detail: "another's")
        let caller = try await stay(.with { $0.offers = .fails(failure) }) { bench in
            let bob = bench.wire.join(Self.bob)
            try await bench.clock.sleep(for: .seconds(700))
            bob.leave()
        }
        #expect(caller.ends == [.media(failure)])
    }

    @Test("Messages about an ended call are answered with a hangup", .timeLimit(.minutes(4)))
    func reply() async throws {
        let sent = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let other = bench.wire.join(Participant(username: "Bob", role: .callee))
                defer { other.leave() }
                async let caller = bench.stay(.caller, for: .seconds(60))
                try await clock.sleep(for: .seconds(1))
                await other.send(.hangup(offerID: "caller1", reason: "declined"), to: nil)
                try await clock.sleep(for: .seconds(5))
                let before = bench.wire.sent.count
                for offer in ["caller1", "another's"] {
                    await other.send(.ringing(offerID: offer), to: nil)
                    await other.send(.answer(.init("any"), offerID: offer), to: nil)
                    await other.send(.restart(offerID: offer), to: nil)
                }
                _ = try await caller
                return Array(bench.wire.sent.dropFirst(before))
            }
        }.unwrapped()
        let replies = sent.filter { $0 == .hangup(offerID: "caller1", reason: nil) }
        #expect(replies.count == 3)
        #expect(sent.count == 9)
    }

    private nonisolated static let failures: [(CallMediaFailure, RunStatus)] = [
        (.local(.recording(message: "the disk is full", hint: "h")), .recordingFailed),
        (.local(.source(message: "the camera is gone", hint: "h")), .mediaFailed),
    ]

    @Test(
        "A source or recording failure ends the run with its exit code, without any further calls",
        .timeLimit(.minutes(4)),
        arguments: failures,
        [true, false]
    )
    func mediaGone(failure: (CallMediaFailure, RunStatus), stays: Bool) async throws {
        let caller = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let other = bench.wire.join(Participant(username: "Bob", role: .callee))
                defer { other.leave() }
                return await bench.run(
                    try bench.plan(.caller) { plan in
                        if stays { plan.stays = true } else { plan.calls = 3 }
                    },
                    media: bench.media(.caller) { _ in .with { $0.offers = .fails(failure.0) } }
                )
            }
        }.unwrapped()
        #expect(caller.outcome.calls == 1)
        #expect(caller.outcome.exit == failure.1)
    }

    @Test(
        "A call screen never begins in the idle state",
        .timeLimit(.minutes(4)),
        arguments: Role.allCases
    )
    func firstState(role: Role) async throws {
        let first = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let (states, seen) = AsyncStream.makeStream(of: CallState.self)
                async let other = bench.run(
                    try bench.plan(role.opposite) { $0.options.duration = .seconds(1) },
                    media: bench.media(role.opposite)
                )
                _ = await bench.run(
                    try bench.plan(role) { $0.options.duration = .seconds(1) },
                    media: bench.media(role)
                ) { flow, _ in
                    for await case .call(let call) in flow.screens {
                        seen.yield(call.store.state.call)
                    }
                    seen.finish()
                }
                _ = try await other
                seen.finish()
                return await states.first { _ in true }
            }
        }.unwrapped()
        #expect(first != nil && first != .idle)
    }
}
