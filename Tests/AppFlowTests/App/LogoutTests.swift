import AppFlow
import CallCore
import CallTesting
import Testing

@Suite("Logging out of the app")
struct LogoutTests {
    @Test(
        "A command sent while a logout leaves the room does not cancel the logout",
        .timeLimit(.minutes(4)),
        arguments: [CallsCommand.quit, .disconnect]
    )
    func lateCommand(_ command: CallsCommand) async throws {
        var content = try FlowBench.remembered(.caller)
        content.token = "secret"
        let memory = FakeMemory(content)
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    let room = try await app.connect()
                    room.send(.logout)
                    app.flow.router.send(command)
                    if command == .disconnect { _ = try await app.login() }
                }
            }
        }.unwrapped()
        #expect(memory.content.identity == nil && memory.content.token == nil)
        #expect(run.outcome.exit == .success)
        #expect(run.events.contains(.screen("login")) == (command == .disconnect))
    }
}
