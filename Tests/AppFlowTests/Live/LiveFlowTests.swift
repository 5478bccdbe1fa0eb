import AppFlow
import Basics
import CallCore
import CallTesting
import LiveCore
import Testing

@Suite("Home and its stream", .timeLimit(.minutes(4)))
@MainActor
struct LiveFlowTests {
    private let streams = SteadyStreams()
    private let player: LivePlayer
    private let recordings = FakeRecordings()

    init() {
        player = LivePlayer(streams, options: LiveOptions(audio: LiveAudio(volume: 80)))
    }

    private func app<Value: Sendable>(
        _ body: @escaping @Sendable (AppDriver) async throws -> Value
    ) async throws -> Value {
        try await Simulation.run { [player, recordings] clock in
            await withBench(clock) { bench in
                try await bench.app(player: player, recordings: recordings) { app in try await body(app) }
                    .value
            }
        }.unwrapped()
    }

    private nonisolated static let own = LiveAddress.url("http://127.0.0.1:3000/demo.m3u8")

    /// Runs an app that opens with Home and offers a stream of its own.
    ///
    /// - Returns: What `body` returns, and the names of the screens that were reported.
    private func appAtHome<Value: Sendable>(
        server: String? = nil,
        own: LiveAddress? = Self.own,
        published: StateStore<Bool?> = StateStore(true),
        _ body: @escaping @Sendable (AppDriver, HomeViewModel) async throws -> Value
    ) async throws -> (value: Value, screens: [String]) {
        let run = try await Simulation.run { [player, recordings] clock in
            await withBench(clock) { bench in
                try await bench.app(
                    server: server,
                    player: player,
                    recordings: recordings,
                    own: own,
                    published: published,
                    opening: .home
                ) { app in
                    guard let home = app.shell.live?.model else { throw CancellationError() }
                    return try await body(app, home)
                }
            }
        }.unwrapped()
        return (run.value, run.events.compactMap { if case .screen(let name) = $0 { name } else { nil } })
    }

    /// Waits for a state of the player.
    private nonisolated func played(_ holds: (LivePlayback) -> Bool) async -> LivePlayback {
        for await playback in player.playback.states where holds(playback) { return playback }
        return player.playback.state
    }

    @Test("No stream is opened before Home is shown, and then the first item is played")
    func first() async throws {
        let before = try await app { [streams] app in
            try await app.settings()
            let before = streams.addresses
            let home = try await app.home()
            for await state in home.store.states where state.items != nil { break }
            _ = await played { $0.state == .playing }
            return before
        }
        #expect(before.isEmpty)
        #expect(streams.addresses == [.file("/videos/one.mp4")])
    }

    @Test(
        "An app that opens with Home plays its own live stream, or the first sample if a server is set",
        arguments: [nil, "http://192.0.2.1:3000"]
    )
    func opening(server: String?) async throws {
        let (home, screens) = try await appAtHome(server: server) { app, home in
            _ = await played { $0.state == .playing }
            app.shell.show(.calls)
            try await app.calls()
            return home.store.state
        }
        let first: LiveItem = server == nil ? .own(Self.own) : .sample(.file("/videos/one.mp4"))
        #expect(home.items?.first == first)
        #expect(home.isStarting == false)
        #expect(streams.addresses == [first.address])
        #expect(screens == ["home", "login"])
    }

    @Test("If the app's own stream starts late, it is listed but does not replace the current stream")
    func lateOwnStream() async throws {
        _ = try await appAtHome(own: nil) { app, home in
            _ = await played { $0.state == .playing }
            #expect(home.store.state.items?.contains(.own(Self.own)) == false)
            app.services.own.update { $0 = Self.own }
            try await app.settings()
            try await app.home()
            for await state in home.store.states where state.items?.first == .own(Self.own) { break }
        }
        #expect(streams.addresses == [.file("/videos/one.mp4")])
    }

    @Test("When the app's own stream becomes ready, it does not replace a stream that the user has chosen")
    func early() async throws {
        let published = StateStore<Bool?>(nil)
        _ = try await appAtHome(published: published) { app, home in
            for await state in home.store.states {
                guard let recording = state.items?.last else { continue }
                home.send(.choose(recording))
                break
            }
            _ = await played { $0.address == .file("/videos/2.mkv") }
            published.update { $0 = true }
            try await app.settings()
            try await app.home()
        }
        #expect(streams.addresses == [.file("/videos/2.mkv")])
    }

    @Test(
        "If the app's own stream fails, the first sample plays; a pending stream does not delay closing",
        arguments: [false, nil]
    )
    func unpublished(published: Bool?) async throws {
        _ = try await appAtHome(published: StateStore(published)) { _, home in
            for await state in home.store.states where state.items != nil { break }
            if published != nil { _ = await played { $0.state == .playing } }
        }
        #expect(streams.addresses == (published == nil ? [] : [.file("/videos/one.mp4")]))
    }

    @Test("The stream plays on the loudspeaker that is selected in the settings")
    func loudspeaker() async throws {
        let speaker = MediaDevice(.speaker, id: "ear", name: "Ear")
        try await app { app in
            try await app.home()
            _ = await played { $0.state == .playing && $0.options.speaker == nil }
            try await app.settings().send(.setDevice(speaker, .speaker))
            _ = await played { $0.options.speaker == "ear" && $0.state == .playing }
        }
        #expect(streams.addresses.count == 2)
    }

    @Test("Switching between destinations twenty times does not reopen the stream")
    func navigation() async throws {
        try await app { app in
            try await app.home()
            _ = await played { $0.state == .playing }
            for _ in 0..<10 {
                try await app.settings()
                try await app.home()
            }
        }
        #expect(streams.addresses.count == 1)
    }

    @Test("Choosing a recording or another address replaces the stream; entering its own address resumes it")
    func choice() async throws {
        let refusals = try await app { app in
            let home = try await app.home()
            for await state in home.store.states {
                guard let recording = state.items?.last else { continue }
                home.send(.choose(recording))
                break
            }
            _ = await played { $0.address == .file("/videos/2.mkv") }
            home.send(.setAddressText("ftp://example.org"))
            home.send(.playAddress)
            let isRefused = home.store.state.isAddressRefused
            home.send(.setAddressText("https://example.org/live.m3u8"))
            home.send(.playAddress)
            _ = await played { $0.address == .url("https://example.org/live.m3u8") && $0.state == .playing }
            home.live.send(.pause)
            _ = await played { $0.state == .paused }
            home.send(.playAddress)
            _ = await played { $0.state == .playing }
            return (isRefused, home.store.state.isAddressRefused)
        }
        #expect(refusals == (true, false))
    }

    @Test("The key P moves a stream to the small window and back, and does nothing without a stream")
    func small() async throws {
        let states = try await app { app in
            let home = try await app.home()
            _ = await played { $0.state == .playing }
            let small = LiveViewModel(smallFor: home.live)
            home.live.press(.p)
            var states = [home.live.isSmall.state]
            small.press(.escape)
            states.append(home.live.isSmall.state)
            home.live.press(.p)
            small.press(.p)
            states.append(home.live.isSmall.state)
            home.live.send(.select(nil))
            _ = await played { $0.state == .empty }
            home.live.press(.p)
            return states + [home.live.isSmall.state]
        }
        #expect(states == [true, false, false, false])
    }

    @Test("A closed stream stays closed when Home is shown again")
    func closed() async throws {
        try await app { [player, recordings] app in
            let home = try await app.home()
            _ = await played { $0.state == .playing }
            player.send(.select(nil))
            _ = await played { $0.state == .empty }
            recordings.change { $0.recordings = [] }
            try await app.settings()
            try await app.home()
            for await state in home.store.states where state.items?.count == 1 { break }
        }
        #expect(streams.addresses.count == 1)
    }

    @Test("Choosing a paused stream again resumes it")
    func again() async throws {
        try await app { [player] app in
            let home = try await app.home()
            _ = await played { $0.state == .playing }
            player.send(.pause)
            _ = await played { $0.state == .paused }
            guard let item = home.store.state.items?.first else { throw CancellationError() }
            home.send(.choose(item))
            _ = await played { $0.state == .playing }
        }
        #expect(streams.addresses.count == 1)
    }

    @Test("A call mutes the stream without stopping it, and the end of the call restores the sound")
    func call() async throws {
        let memories = (
            FakeMemory(try FlowBench.remembered(.caller)), FakeMemory(try FlowBench.remembered(.callee))
        )
        let audio = try await Simulation.run { [player] clock in
            await withBench(clock) { bench in
                try await bench.app(memories.1, name: "callee", player: player) { bob in
                    try await bob.home()
                    _ = await played { $0.state == .playing }
                    try await bob.connect()
                    return try await bench.app(memories.0, name: "caller") { ann in
                        try await ann.connect()
                        try await ann.room(\.canStartCall).send(.startCall)
                        try await bob.room { $0.ring != nil }.send(.accept)
                        try await bob.call { $0.call == .connected }.send(.hangUp)
                        let during = await played { $0.options.audio.isMuted }
                        try await bob.room { $0.returnReason != nil }
                        let after = await played { !$0.options.audio.isMuted }
                        return [during.options.audio, after.options.audio]
                    }.value
                }.value
            }
        }.unwrapped()
        #expect(audio == [LiveAudio(volume: 80, isMuted: true), LiveAudio(volume: 80)])
        #expect(streams.addresses.count == 1)
    }
}
