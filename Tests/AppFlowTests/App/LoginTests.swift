import Basics
import CallCore
import CallTesting
import Testing

@testable import AppFlow

@Suite("The app's Login screen and settings")
@MainActor
struct LoginTests {
    private func model(_ username: String, _ room: String) -> LoginViewModel {
        let model = LoginViewModel(router: CommandRouter())
        model.send(.setUsername(username))
        model.send(.setRoom(room))
        return model
    }

    @Test(
        "The Continue button is enabled if the username and the room number are both valid",
        arguments: [
            ("", "", false), ("Ann", "", false), ("", "1", false), ("   ", "1", false), ("Ann", "0", false),
            ("Ann", "9007199254740992", false), (String(repeating: "a", count: 65), "1", false),
            ("Ann", "1", true), (" Ann ", "007", true), ("Ганна", "9007199254740991", true),
        ]
    )
    func enabled(username: String, room: String, isEnabled: Bool) {
        let state = model(username, room).store.state
        #expect(state.canProceed == isEnabled)
        #expect((state.identity != nil) == isEnabled)
    }

    @Test("The room field accepts only ASCII digits, and at most 17 of them")
    func digits() {
        #expect(model("", " 1a2-3٤").store.state.room == "123")
        #expect(model("", String(repeating: "9", count: 10_000)).store.state.room.count == 17)
    }

    @Test("An invalid field is reported as an error, but an empty one is not")
    func problems() {
        let empty = model("  ", "").store.state
        #expect(empty.usernameProblem == nil && empty.roomProblem == nil)
        let bad = model("a\u{7}b", "0").store.state
        #expect(bad.usernameProblem?.field == "username")
        #expect(bad.roomProblem?.field == "roomId")
        #expect(model("Ann", "1").store.state.usernameProblem == nil)
    }

    @Test("The Return key does nothing while the Continue button is disabled", .timeLimit(.minutes(4)))
    func returnKey() async throws {
        let memory = FakeMemory()
        let room = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    let login = try await app.login()
                    login.send(.setUsername("Ann"))
                    login.send(.proceed)
                    try await clock.sleep(for: .seconds(1))
                    guard case .login = await app.screen else { return nil as RoomState? }
                    login.send(.setRoom("7"))
                    login.send(.proceed)
                    login.send(.proceed)
                    return try await app.room().store.state
                }
            }
        }.unwrapped().value
        #expect(room?.identity.username.value == "Ann")
        #expect(room?.identity.room.value == 7)
        #expect(room?.connection == .disconnected(nil))
        #expect(room?.canChangeRole == true)
        #expect(memory.content.identity?.identity == room?.identity)
    }

    @Test(
        "With a saved identity, the app starts disconnected in the Room screen, with the saved role",
        .timeLimit(.minutes(4)),
        arguments: Role.allCases
    )
    func remembered(role: Role) async throws {
        let memory = FakeMemory(try FlowBench.remembered(role))
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { try await $0.room().store.state }
            }
        }.unwrapped()
        #expect(run.value.role == role)
        #expect(run.value.connection == .disconnected(nil))
        #expect(run.services.opened == 0)
        #expect(run.outcome.exit == .success)
    }

    @Test("The role that the user sets is saved", .timeLimit(.minutes(4)))
    func rememberedRole() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.callee))
        _ = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    try await app.room().send(.setRole(.caller))
                    try await app.room { $0.role == .caller }
                    try await clock.sleep(for: .seconds(1))
                }
            }
        }.unwrapped()
        #expect(memory.content.identity?.role == .caller)
    }

    @Test("Settings are saved and apply to the next connection", .timeLimit(.minutes(4)))
    func settings() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.callee))
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    app.flow.settings.send(.setServer(" https://example.org "))
                    app.flow.settings.send(.setToken("secret"))
                    app.flow.settings.send(.setTextScale(9))
                    app.flow.settings.send(.commit)
                    try await app.connect()
                }
            }
        }.unwrapped()
        #expect(memory.content.settings.server == "https://example.org")
        #expect(memory.content.settings.textScale == 2)
        #expect(memory.content.token == "secret")
        #expect(run.services.settings.map(\.server) == ["https://example.org"])
        #expect(run.services.tokens == ["secret"])
        #expect(!"\(SettingsViewModel.Action.setToken("secret"))".contains("secret"))
    }

    @Test("Text typed into the settings is neither used nor saved until committed", .timeLimit(.minutes(4)))
    func typed() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.callee))
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    let settings = app.flow.settings
                    for text in ["h", "ht", "http://x"] {
                        settings.send(.setServer(text))
                        settings.send(.setToken(text))
                        try await clock.sleep(for: .seconds(1))
                    }
                    let early = (memory.content, settings.store.state)
                    try await app.connect()
                    return early
                }
            }
        }.unwrapped()
        #expect(run.value.0.settings.server == nil && run.value.0.tokens == [])
        #expect(run.value.1.serverText == "http://x" && run.value.1.token == nil)
        #expect(run.services.tokens == [nil])
        // Quitting commits the typed text.
        #expect(memory.content.settings.server == "http://x" && memory.content.tokens == ["http://x"])
    }

    @Test("A server from the command line is not saved unless it is edited", .timeLimit(.minutes(4)))
    func untouched() async throws {
        let memory = FakeMemory(try FlowBench.remembered(.callee))
        let servers = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory, server: "http://once") { app in
                    let settings = app.flow.settings
                    settings.send(.setServer("http://once"))
                    settings.send(.commit)
                    let once = settings.store.state.effective.server
                    settings.send(.setServer(" "))
                    settings.send(.commit)
                    return [once, settings.store.state.effective.server]
                }.value
            }
        }.unwrapped()
        #expect(servers == ["http://once", nil])
        #expect(memory.content.settings.server == nil)
    }

    @Test("A failure to delete the saved data is shown after a logout", .timeLimit(.minutes(4)))
    func deletionFailure() async throws {
        var content = try FlowBench.remembered(.callee)
        content.token = "secret"
        let problem = StoreFailure(reason: .keyringLocked, message: "it is locked", hint: "")
        let memory = FakeMemory(content, problem: problem)
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory) { app in
                    try await app.room().send(.logout)
                    let login = try await app.login()
                    for await state in login.store.states where state.deletionFailure != nil {
                        return (state.deletionFailure, app.flow.settings.store.state.token)
                    }
                    throw CancellationError()
                }
            }
        }.unwrapped()
        #expect(run.value.0 == problem && run.value.1 == nil)
        // The token is deleted together with the identity, and not a second time.
        #expect(memory.content.tokens == [])
        #expect(run.events.filter { $0 == .warning("it is locked") }.count == 1)
    }

    @Test("A token entered right after a logout is saved after the old one has been deleted")
    func tokenAfterLogout() async throws {
        var content = try FlowBench.remembered(.callee)
        content.token = "old"
        let memory = FakeMemory(content)
        let model = SettingsViewModel(content.settings, token: "old")
        let (_, events) = AsyncStream.makeStream(of: FlowEvent.self)
        let forgotten = StateStore(0)
        let flow = SettingsFlow(
            model,
            memory: memory,
            services: FakeServices(signaling: { _ in fatalError() }, media: { _ in fatalError() }),
            forgotten: forgotten,
            events: events
        )
        model.logOut()
        model.send(.setToken("new"))
        flow.finish()
        await withTaskGroup { group in
            group.addTask { await flow.run() }
            group.addTask {
                try? await memory.forgetIdentity()
                forgotten.update { $0 += 1 }
            }
        }
        #expect(memory.content.token == "new" && memory.content.tokens == ["new"])
    }
}
