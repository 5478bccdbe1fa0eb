import Basics
import CallCore
import CallTesting
import Testing

@testable import AppFlow

@Suite("The shell of the app")
@MainActor
struct ShellTests {
    private nonisolated static let desk = MediaDevice(.microphone, id: "alsa.desk", name: "Desk microphone")

    /// Runs an app with `memory`, and returns what `body` returns and the screens that were reported.
    private func app<Value: Sendable>(
        _ memory: FakeMemory,
        _ body: @escaping @Sendable (AppDriver, any Clock<Duration>) async throws -> Value
    ) async throws -> (value: Value, screens: [String]) {
        let run = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memory, devices: [Self.desk]) { app in try await body(app, clock) }
            }
        }.unwrapped()
        let screens = run.events.compactMap { event in
            if case .screen(let name) = event { name } else { nil }
        }
        return (run.value, screens)
    }

    @Test("Leaving the settings applies typed text and shows the previous screen again")
    func leaving() async throws {
        let memory = FakeMemory()
        let (isSame, screens) = try await app(memory) { app, _ in
            let login = try await app.login()
            try await app.settings().send(.setServer("http://192.0.2.1:3000"))
            app.shell.show(.calls)
            try await app.calls()
            return try await app.login() === login
        }
        #expect(isSame)
        #expect(memory.content.settings.server == "http://192.0.2.1:3000")
        #expect(screens == ["login", "settings", "login"])
    }

    @Test("The settings list the connected devices, and save the selected one")
    func devices() async throws {
        let memory = FakeMemory()
        let choices = try await app(memory) { app, _ in
            let model = try await app.settings()
            for await state in model.store.states where state.devices != nil { break }
            model.send(.setDevice(Self.desk, .microphone))
            return MediaDevice.Kind.allCases.map { model.store.state.choices(of: $0).map(\.id) }
        }.value
        #expect(choices == [["default"], ["default", "alsa.desk"], ["default"]])
        #expect(memory.content.settings.devices == [.microphone: Self.desk])
    }

    @Test("A selected device that is not connected stays selectable")
    func missing() async throws {
        let lamp = MediaDevice(.speaker, id: "alsa.lamp", name: "A lamp that speaks")
        var content = FakeMemory.Content()
        content.settings.devices[.speaker] = lamp
        let choices = try await app(FakeMemory(content)) { app, _ in
            let model = try await app.settings()
            for await state in model.store.states where state.devices != nil { break }
            return model.store.state.choices(of: .speaker)
        }.value
        #expect(choices.map(\.id) == ["default", "alsa.lamp"])
    }

    @Test("A call that begins while the settings are open is shown, and no other destination can be opened")
    func call() async throws {
        var callee = try FlowBench.remembered(.callee)
        callee.settings.answersAutomatically = true
        let (ann, bob) = (FakeMemory(try FlowBench.remembered(.caller)), FakeMemory(callee))
        let (shown, screens) = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let run = try await bench.app(bob, name: "callee") { bob in
                    try await bob.connect()
                    try await bob.settings()
                    return try await bench.app(ann, name: "caller") { ann in
                        try await ann.connect()
                        try await ann.room(\.canStartCall).send(.startCall)
                        let call = try await bob.call { $0.call == .connected }
                        try await bob.calls { $0 == .call(call) }
                        bob.shell.show(.settings)
                        try? await clock.sleep(for: .seconds(1))
                        for await screen in bob.shell.screens { return screen.name }
                        return ""
                    }.value
                }
                return (run.value, run.events)
            }
        }.unwrapped()
        #expect(shown == "call")
        let names = screens.compactMap { if case .screen(let name) = $0 { name } else { nil } }
        #expect(names.starts(with: ["room", "settings", "call"]))
    }

    @Test("A device that is selected in the settings is used in the room that is joined")
    func selecting() async throws {
        let used = try await Simulation.run { clock in
            await withBench(clock) { bench in
                var use = DeviceUse()
                use.selectable = [.microphone]
                let memory = FakeMemory(try FlowBench.remembered(.callee))
                return try await bench.app(memory, devices: [Self.desk], use: use) { app in
                    try await app.connect()
                    try await app.settings().send(.setDevice(Self.desk, .microphone))
                    try? await clock.sleep(for: .seconds(1))
                    return await app.flow.controls.deviceUse().used(.microphone)
                }.value
            }
        }.unwrapped()
        #expect(used == Self.desk)
    }

    @Test("The settings stay open while a call rings")
    func ring() async throws {
        let (ann, bob) = (
            FakeMemory(try FlowBench.remembered(.caller)), FakeMemory(try FlowBench.remembered(.callee))
        )
        let shown = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(bob, name: "callee") { bob in
                    try await bob.connect()
                    try await bob.settings()
                    return try await bench.app(ann, name: "caller") { ann in
                        try await ann.connect()
                        try await ann.room(\.canStartCall).send(.startCall)
                        let room = try await bob.room { $0.ring != nil }
                        var shown: [String] = []
                        for await screen in bob.shell.screens {
                            shown.append(screen.name)
                            break
                        }
                        room.send(.accept)
                        try await bob.calls { $0.name == "call" }
                        return shown
                    }.value
                }.value
            }
        }.unwrapped()
        #expect(shown == ["settings"])
    }
}
