import AppFlow
import CallCore
import CallTesting
import Testing

/// The rules for a caller that stays in a room whose server sends newcomers no participant list.
@Suite("Staying in a room without a participant list")
@MainActor
struct StayingSilentTests {
    @Test("If a late leave of the peer's previous socket ends a call, another call follows")
    func oldSocket() async throws {
        let (caller, callee) = try await Simulation.run { clock in
            await withBench(clock, Wire(sendsRoomState: false)) { bench in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await bench.network.watch(clock) }
                    group.addTask { await bench.wire.deliverLate(clock) }
                    defer { group.cancelAll() }
                    async let callee = bench.stay(.callee, for: .seconds(100))
                    try await clock.sleep(for: .seconds(1))
                    bench.wire.lose("Bob", isSilent: true)
                    try await clock.sleep(for: .seconds(1))
                    bench.wire.recover("Bob")
                    let caller = try await bench.stay(.caller, for: .seconds(90))
                    return (caller, try await callee)
                }
            }
        }.unwrapped()
        #expect(caller.ends == [.peerLeft, .hungUp(by: .us)])
        #expect(caller.states.count { $0 == "connected" } == 2)
        #expect(callee.states.count { $0 == "connected" } == 2)
    }

    @Test("After failed calls, a peer that may have left is called again with growing delays")
    func unintendedEnds() async throws {
        let caller = try await Simulation.run { clock in
            await withBench(clock, Wire(sendsRoomState: false)) { bench in
                let script: FlowBench.Script = { _ in
                    .with { $0.offers = .fails(.iceFailed(detail: "simulated")) }
                }
                // The next calls begin at once when Bob leaves, then after 20 and 40 s.
                async let caller = bench.stay(.caller, for: .seconds(75), script: script) {
                    $0.options.retries = 0
                }
                try await clock.sleep(for: .seconds(1))
                bench.wire.join(Participant(username: "Bob", role: .callee)).leave()
                return try await caller
            }
        }.unwrapped()
        #expect(caller.ends.count == 4)
    }
}
