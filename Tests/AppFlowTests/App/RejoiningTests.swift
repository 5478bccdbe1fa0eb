import AppFlow
import Basics
import CallCore
import CallTesting
import Testing

@Suite("Deliberate rejoin of the room")
@MainActor
struct RejoiningTests {
    private nonisolated static let bob = Participant(username: "Bob", role: .callee)

    @Test(
        "A rejoin after an unanswered hangup does not change the displayed role, connection and peer",
        .timeLimit(.minutes(4)),
        arguments: [true, false]
    )
    func silent(sendsRoomState: Bool) async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let run = try await Simulation.run { clock in
            await withBench(clock, Wire(sendsRoomState: sendsRoomState)) { bench in
                try await bench.app(memory) { app in
                    try await app.connect()
                    // A peer that responds to nothing, not even to a hangup.
                    let bob = bench.wire.join(Self.bob)
                    defer { bob.leave() }
                    try await app.room(\.canStartCall).send(.startCall)
                    try await app.call { $0.call == .awaitingAnswer }.send(.hangUp)
                    let room = try await app.room { $0.returnReason != nil }
                    let before = room.store.state
                    try await clock.sleep(for: .seconds(5))
                    return (before, room.store.state)
                }
            }
        }.unwrapped()
        let (before, after) = run.value
        #expect(run.events.contains(.rejoining))
        #expect(run.services.opened == 1)
        #expect(after == before)
        #expect(after.isConnected && after.peer == Self.bob && !after.canChangeRole)
        #expect(!run.events.contains { if case .signalingDisconnected = $0 { true } else { false } })
    }
}
