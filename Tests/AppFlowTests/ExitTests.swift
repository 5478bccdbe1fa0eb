import AppFlow
import CallCore
import CallTesting
import Testing

@Suite("Exit codes")
@MainActor
struct ExitTests {
    @Test(
        "A run ends with the expected exit code and, on failure, a hint",
        .timeLimit(.minutes(4)),
        arguments: ExitScenario.all
    )
    func exit(scenario: ExitScenario) async throws {
        let record = try await Simulation.run { clock in
            await withBench(clock) { try await Self.play(scenario, $0) }
        }.unwrapped()
        #expect(record.outcome.exit == scenario.exit)
        #expect(record.outcome.error?.code == scenario.code)
        #expect(record.errors.last == record.outcome.error)
        if let error = record.outcome.error {
            #expect(!error.message.isEmpty && !error.hint.isEmpty)
        }
    }

    private nonisolated static func play(_ scenario: ExitScenario, _ bench: FlowBench) async throws
        -> FlowRecord
    {
        let media = bench.media(
            scenario.role,
            preparation: scenario.preparation,
            script: { _ in scenario.script }
        )
        let plan = try bench.plan(scenario.role, scenario.change)
        let role = scenario.role.opposite
        switch scenario.other {
        case .nobody:
            return await bench.run(plan, media: media)
        case .script(let events):
            return await bench.run(plan, media: media, signaling: ScriptedSignaling(events))
        case .deaf:
            let other = bench.wire.join(Participant(username: "Deaf", role: role))
            defer { other.leave() }
            return await bench.run(plan, media: media)
        case .peer:
            async let other = bench.run(
                try bench.plan(role) { $0.options.peerTimeout = .seconds(100) },
                media: bench.media(role)
            )
            let record = await bench.run(plan, media: media)
            _ = try await other
            return record
        }
    }

    @Test("If server and media fail together, the call ends as if the peer had left", .timeLimit(.minutes(4)))
    func vanished() async throws {
        let record = try await Simulation.run { clock in
            await withBench(clock) { bench in
                async let other = bench.run(try bench.plan(.callee), media: bench.media(.callee))
                async let caller = bench.run(try bench.plan(.caller), media: bench.media(.caller)) {
                    _,
                    clock in
                    try? await clock.sleep(for: .seconds(8))
                    bench.wire.loseAll()
                    try? await clock.sleep(for: .seconds(5))
                    bench.network.cut()
                }
                let record = try await caller
                _ = try await other
                return record
            }
        }.unwrapped()
        #expect(record.ends == [.peerLeft])
        #expect(record.outcome.exit == .success)
    }

    @Test(
        "Leaving ends a run at any moment and closes all media sessions",
        .timeLimit(.minutes(4)),
        arguments: 0...16,
        Role.allCases
    )
    func leaves(milliseconds: Int, role: Role) async throws {
        let (record, open, time) = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let slow: FlowBench.Script = { _ in .with { $0.delay = .milliseconds(2) } }
                let (ours, theirs) = (
                    bench.media(role, script: slow), bench.media(role.opposite, script: slow)
                )
                async let other = bench.run(
                    try bench.plan(role.opposite) { $0.options.peerTimeout = .seconds(1) },
                    media: theirs
                )
                let record = await bench.run(try bench.plan(role), media: ours) { flow, clock in
                    try? await clock.sleep(for: .milliseconds(milliseconds))
                    flow.leave()
                }
                let time = clock.now.offset
                _ = try await other
                return (record, ours.open + theirs.open, time)
            }
        }.unwrapped()
        #expect(record.outcome.exit == .success)
        #expect(record.outcome.error == nil)
        #expect(open == 0)
        #expect(time < .milliseconds(100))
    }

    @Test("Another participant of the same role is reported by name", .timeLimit(.minutes(4)))
    func sameRole() async throws {
        let record = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let rival = bench.wire.join(Participant(username: "Carl", role: .caller))
                await rival.send(.offer(.init("v=0\r\n")))
                return await bench.run(
                    try bench.plan(.caller) { $0.options.peerTimeout = .seconds(1) },
                    media: bench.media(.caller)
                )
            }
        }.unwrapped()
        #expect(record.events.contains(.sameRole(Participant(username: "Carl", role: .caller))))
        #expect(record.attempts.isEmpty)
    }
}
