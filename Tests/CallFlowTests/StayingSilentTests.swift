import CallCore
import CallFlow
import CallTesting
import Testing

/// Rules for a caller that stays in a room whose server tells newcomers nothing.
@Suite("Flow, staying in a silent room")
@MainActor
struct StayingSilentTests {
    @Test("The late leaving of a socket that its peer has replaced does not part it from its peer")
    func oldSocket() async throws {
        let (caller, callee) = try await Simulation.run { clock in
            await withBench(clock, Wire(tellsNewcomers: false)) { bench in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await bench.network.watch(clock) }
                    group.addTask { await bench.wire.deliverLate(clock) }
                    defer { group.cancelAll() }
                    async let callee = bench.run(
                        try bench.plan(.callee) { $0.stays = true },
                        media: bench.media(.callee)
                    ) { coordinator, clock in
                        try? await clock.sleep(for: .seconds(100))
                        coordinator.leave()
                    }
                    try await clock.sleep(for: .seconds(1))
                    bench.wire.lose("Bob", isSilent: true)
                    try await clock.sleep(for: .seconds(1))
                    bench.wire.recover("Bob")
                    let caller = await bench.run(
                        try bench.plan(.caller) { $0.stays = true },
                        media: bench.media(.caller)
                    ) { coordinator, clock in
                        try? await clock.sleep(for: .seconds(90))
                        coordinator.leave()
                    }
                    return (caller, try await callee)
                }
            }
        }.unwrapped()
        #expect(caller.ends == [.peerLeft, .hungUp(by: .us)])
        #expect(caller.states.count { $0 == "connected" } == 2)
        #expect(callee.states.count { $0 == "connected" } == 2)
    }

    @Test("Who may have left is offered to again, but ever later where media fails")
    func mishaps() async throws {
        let caller = try await Simulation.run { clock in
            await withBench(clock, Wire(tellsNewcomers: false)) { bench in
                async let caller = bench.run(
                    try bench.plan(.caller) { plan in
                        plan.stays = true
                        plan.options.retries = 0
                    },
                    media: bench.media(.caller) { _ in
                        .with { $0.offers = .fails(.iceFailed(detail: "simulated")) }
                    }
                ) { coordinator, clock in
                    // At once as Bob leaves, then after 20 and 40 s.
                    try? await clock.sleep(for: .seconds(75))
                    coordinator.leave()
                }
                try await clock.sleep(for: .seconds(1))
                bench.wire.join(Participant(username: "Bob", role: .callee)).leave()
                return try await caller
            }
        }.unwrapped()
        #expect(caller.ends.count == 4)
    }
}
