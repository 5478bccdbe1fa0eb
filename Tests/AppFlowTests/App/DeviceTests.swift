import AppFlow
import Basics
import CallCore
import CallTesting
import Testing

@Suite("Devices of a call")
@MainActor
struct DeviceTests {
    private nonisolated static let desk = MediaDevice(.microphone, id: "alsa.desk", name: "Desk microphone")
    private nonisolated static let lamp = MediaDevice(.speaker, id: "alsa.lamp", name: "A lamp that speaks")
    private nonisolated static let standard = MediaDevice(.speaker, id: MediaDevice.standard, name: "default")
    private nonisolated static let use = DeviceUse(used: [standard], selectable: [.microphone, .speaker])

    /// Runs `body` with Ann's app in a call with selectable devices; Bob's app answers every call.
    private func called<Value: Sendable>(
        _ use: DeviceUse = Self.use,
        _ memory: FakeMemory? = nil,
        _ body: @escaping @Sendable (AppDriver, any Clock<Duration>) async throws -> Value
    ) async throws -> Value {
        var callee = try FlowBench.remembered(.callee)
        callee.settings.answersAutomatically = true
        let (ann, bob) = (try memory ?? FakeMemory(FlowBench.remembered(.caller)), FakeMemory(callee))
        return try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(bob, name: "callee") { bob in
                    try await bob.connect()
                    let devices = [Self.desk, Self.lamp]
                    return try await bench.app(ann, name: "caller", devices: devices, use: use) { ann in
                        try await ann.connect()
                        try await Self.call(ann)
                        return try await body(ann, clock)
                    }.value
                }.value
            }
        }.unwrapped()
    }

    private nonisolated static func call(_ ann: AppDriver) async throws {
        try await ann.room(\.canStartCall).send(.startCall)
        try await ann.call { $0.call == .connected }
    }

    @Test("The connected devices and those in use are listed on request", .timeLimit(.minutes(4)))
    func listed() async throws {
        let (before, after) = try await called { ann, _ in
            let call = try await ann.call()
            let before = call.store.state.devices
            call.send(.listDevices)
            return (before, try await ann.call { $0.devices.present != nil }.store.state.devices)
        }
        #expect(MediaDevice.Kind.allCases.allSatisfy { before.obstacle($0) == .unknown })
        #expect(after.choices(of: .speaker).map(\.id) == ["default", "alsa.lamp"])
        #expect(after.choices(of: .microphone).map(\.id) == ["default", "alsa.desk"])
        #expect(after.chosen(.speaker) == "default" && after.chosen(.microphone) == nil)
        #expect(after.obstacle(.speaker) == nil && after.obstacle(.microphone) == nil)
        #expect(after.obstacle(.camera) == .absent)
    }

    @Test(
        "A selected device is used and saved for later sessions until the default is selected",
        .timeLimit(.minutes(4))
    )
    func chosen() async throws {
        let (opening, used, settings) = try await called { ann, _ in
            let call = try await ann.call()
            call.send(.listDevices)
            try await ann.call { $0.devices.present != nil }
            call.send(.select("alsa.lamp", as: .speaker))
            let opening = call.store.state.devices.chosen(.speaker)
            try await ann.call { $0.devices.opening.isEmpty }
            let used = call.store.state.devices.use.used(.speaker)
            ann.flow.router.send(.disconnect)
            try await ann.room { $0.connection == .disconnected(nil) }
            try await ann.connect()
            try await Self.call(ann)
            // A script's action: the button ignores a device in use, and this new service uses the default.
            _ = try await ann.flow.perform(.select(MediaDevice.standard, as: .speaker))
            let now = ann.flow.settings.store.state.settings
            return (opening, used, ann.services.counted.settings + [now])
        }
        #expect(opening == "alsa.lamp")
        #expect(used == Self.lamp)
        #expect(settings.map(\.devices) == [[:], [.speaker: Self.lamp], [:]])
    }

    @Test("A device that cannot be opened is reported and not saved", .timeLimit(.minutes(4)))
    func refused() async throws {
        let (devices, settings) = try await called { ann, _ in
            let call = try await ann.call()
            call.send(.select("gone", as: .speaker))
            call.send(.select("gone", as: .speaker))
            let state = try await ann.call { !$0.devices.refusals.isEmpty && $0.devices.opening.isEmpty }
            return (state.store.state.devices, ann.flow.settings.store.state.settings)
        }
        #expect(devices.refusals[.speaker]?.code == "no-device")
        #expect(devices.chosen(.speaker) == "default")
        #expect(settings.devices == [:])
    }

    @Test("A saved device that is missing is reported only once, and stays selected", .timeLimit(.minutes(4)))
    func missing() async throws {
        var remembered = try FlowBench.remembered(.caller)
        remembered.settings.devices[.microphone] = Self.desk
        var use = Self.use
        use.missing = [Self.desk]
        let memory = FakeMemory(remembered)
        let notices = try await called(use, memory) { ann, _ in
            let first = try await ann.call().store.state.notice
            try await ann.call().send(.hangUp)
            try await ann.room { $0.returnReason != nil }
            try await Self.call(ann)
            return [first, try await ann.call().store.state.notice]
        }
        #expect(notices.map(\.?.content) == [.missing([Self.desk]), nil])
        #expect(memory.content.settings.devices == [.microphone: Self.desk])
    }

    @Test("A late action from an ended call is not performed in the next call", .timeLimit(.minutes(4)))
    func late() async throws {
        let (old, new) = try await called { ann, clock in
            let old = try await ann.call()
            old.send(.hangUp)
            try await ann.room { $0.returnReason != nil }
            try await Self.call(ann)
            old.send(old.store.state.recordingCommand)
            old.send(.select("alsa.lamp", as: .speaker))
            try await clock.sleep(for: .seconds(1))
            return (old.store.state, try await ann.call().store.state)
        }
        #expect(new.controls.recording == nil && new.notice == nil && old.notice == nil)
        #expect(new.devices == DeviceChoice())
    }
}
