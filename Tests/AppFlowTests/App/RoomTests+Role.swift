import AppFlow
import Basics
import CallCore
import CallTesting
import Testing

// Tests of switching to the other role.
extension RoomTests {
    @Test("If the server refuses a taken role, one click joins with the other role", .timeLimit(.minutes(4)))
    func takenRole() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(
                    memory,
                    signaling: { stay -> any SignalingService in
                        stay == 1
                            ? ScriptedSignaling([.failed(.roleTaken)]) as any SignalingService : bench.wire
                    }
                ) { app in
                    try await app.room().send(.connect)
                    try await app.room { $0.loss != nil }.send(.switchRole)
                    return try await app.room(\.isConnected).store.state.role
                }
            }
        }.unwrapped()
        #expect(run.value == .callee && memory.content.identity?.role == .callee)
        #expect(run.services.opened == 2)
    }

    @Test(
        "If a participant has the same role, one click rejoins with the other role",
        .timeLimit(.minutes(4))
    )
    func rivalRole() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.caller))
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    try await app.connect()
                    _ = bench.wire.join(Participant(username: "Eve", role: .caller))
                    try await app.room { $0.rival != nil }.send(.switchRole)
                    return try await app.room { $0.peer != nil }.store.state
                }
            }
        }.unwrapped()
        #expect(run.value.role == .callee && run.value.peer?.username == "Eve")
    }
}
