import Basics
import Foundation
import HTTPFront
import LiveCore
import LiveMedia
import LiveServer
import Logging
import SignalingServer
import Synchronization
import Testing

@Suite("The player of streams", .serialized, .timeLimit(.minutes(4)))
struct LiveMediaPlayerTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// The number of frames that were shown, and the size of the latest one.
    private final class Screen: Sendable {
        let shown = StateStore(0)
        private let latest = StateStore<Resolution?>(nil)
        /// The number of encoded frames for which the screen is hidden, once it has shown ten.
        private let hidden: Mutex<Int>

        init(hiddenFor frames: Int = 0) { hidden = Mutex(frames) }

        func hide(for frames: Int) { hidden.withLock { $0 = frames } }

        var output: LiveOutput {
            LiveOutput(
                show: { frame in
                    self.shown.update { $0 += 1 }
                    self.latest.update { $0 = frame.size }
                },
                isSeen: { self.isSeen }
            )
        }

        /// Whether the screen is visible; asked once for each encoded frame.
        private var isSeen: Bool {
            guard count >= 10 else { return true }
            return hidden.withLock { frames in
                guard frames > 0 else { return true }
                frames -= 1
                return false
            }
        }

        var count: Int { shown.state }
        var size: Resolution? { latest.state }
    }

    /// Plays an address until `body` returns.
    private func play(
        _ address: LiveAddress,
        _ options: LiveOptions = LiveOptions(loops: false),
        on screen: Screen = Screen(),
        _ body: (LivePlayer, Screen) async throws -> Void
    ) async throws {
        let player = LivePlayer(LiveMediaPlayer(screen.output, library: Project.library), options: options)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await player.run() }
            defer { player.finish() }
            player.send(.select(address))
            let first = await next(player)
            #expect(first == .loading(address))
            try await body(player, screen)
        }
    }

    /// Waits for the next event of a player.
    private func next(_ player: LivePlayer) async -> LiveEvent? {
        for await event in player.events { return event }
        return nil
    }

    private func isPlaying(_ event: LiveEvent?, live: Bool) -> Bool {
        if case .playing(let format, _) = event { format.isLive == live } else { false }
    }

    @Test("A file plays from its first to its last frame, and then ends")
    func file() async throws {
        try await play(.file(Project.testVideo)) { player, screen in
            var seen: [LiveEvent] = []
            while let event = await next(player) {
                seen.append(event)
                if event == .ended { break }
            }
            #expect(seen.allSatisfy { $0 == .ended || isPlaying($0, live: false) })
            #expect(screen.size == Resolution(width: 1280, height: 720))
            #expect((290...310).contains(screen.count))
            #expect(player.playback.state.format?.codec == "H264")
        }
    }

    @Test("While a file is not visible, it plays without showing frames, and shows them again afterwards")
    func unseen() async throws {
        try await play(.file(Project.testVideo), on: Screen(hiddenFor: 150)) { player, screen in
            var states: [LiveState] = []
            for await playback in player.playback.states {
                if playback.state == .ended { break }
                states.append(playback.state)
            }
            #expect(states.last == .playing)
            // The test video has 300 frames and a keyframe every second, at which decoding stops.
            #expect((145...185).contains(screen.count))
        }
    }

    /// Returns the states of a player during a time.
    private func states(of player: LivePlayer, during span: Duration) async -> [LiveState] {
        let gathered = StateStore<[LiveState]>([])
        _ = try? await withDeadline(span) {
            for await playback in player.playback.states { gathered.update { $0.append(playback.state) } }
        }
        return gathered.state
    }

    /// Waits until a player has reached a position.
    private func wait(until position: Duration, of player: LivePlayer) async {
        for await state in player.playback.states where state.progress.position >= position { return }
    }

    /// Runs a server with the channel `demo`, to which `publish` adds segments, until `body` returns.
    private func serve(
        _ channel: LiveChannel,
        _ publish: @escaping @Sendable () async throws -> Void,
        _ body: (LiveAddress) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        try await SignalingServer.run(
            configuration,
            services: [LiveService(logger: logger) { $0 == channel.id ? channel : nil }],
            logger: logger
        ) { server in
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await publish() }
                try await body(.url("\(server.url)/demo.m3u8"))
                group.cancelAll()
            }
        }
    }

    @Test("A live stream plays, and its distance to the live edge is reported")
    func live() async throws {
        let channel = LiveChannel("demo")
        try await serve(channel) {
            try await channel.run(FilePackager(Project.testVideo, library: Project.library))
        } _: { address in
            try await play(address) { player, screen in
                // The stream is idle until there are two segments.
                var event = await next(player)
                if case .notLive = event { event = await next(player) }
                #expect(isPlaying(event, live: true))
                for await playback in player.playback.states where playback.progress.behind != nil { break }
                let count = screen.count
                for await shown in screen.shown.states where shown > count + 10 { break }
                #expect(player.playback.state.state == .playing)
                // A stream that nobody sees does not count as stalled.
                screen.hide(for: .max)
                let states = await states(of: player, during: .seconds(3))
                #expect(!states.isEmpty && states.allSatisfy { $0 == .playing })
                let hidden = screen.count
                screen.hide(for: 0)
                for await shown in screen.shown.states where shown > hidden + 10 { break }
            }
        }
    }

    /// The packager of the test video for a stream on demand, which counts its ends.
    private struct CountedPackager: LivePackager {
        let ends = StateStore(0)

        func run(_ onSegment: @escaping @Sendable (LiveSegment) -> Void) async throws(LiveFailure) {
            defer { ends.update { $0 += 1 } }
            let packager = FilePackager(Project.testVideo, library: Project.library, isHurried: true)
            try await packager.run(onSegment)
        }
    }

    @Test("An on-demand stream plays at once, and again after a period without viewers")
    func onDemand() async throws {
        let channel = LiveChannel("demo", isOnDemand: true)
        let packager = CountedPackager()
        try await serve(channel) {
            await channel.runOnDemand(packager, idleLimit: .seconds(2)) { Issue.record("\($0)") }
        } _: { address in
            for number in 1...2 {
                try await play(address) { player, screen in
                    let event = await next(player)
                    #expect(isPlaying(event, live: true))
                    // Beyond the segments that came at once.
                    for await shown in screen.shown.states where shown > 75 { break }
                    #expect(player.playback.state.state == .playing)
                }
                for await ends in packager.ends.states where ends == number { break }
            }
        }
    }

    @Test("A stream on an unreachable server is retried, and the reason is reported")
    func unreachable() async throws {
        try await play(.url("http://127.0.0.1:1/demo.m3u8")) { player, _ in
            guard case .offline(let failure, let wait) = await next(player) else {
                Issue.record("no offline event")
                return
            }
            #expect(failure.reason == .unreachable)
            #expect(wait == .seconds(1))
        }
    }

    @Test(
        "A looping file repeats, and ends if looping is switched off, even after the next round was read"
    )
    func loop() async throws {
        try await play(.file(Project.testVideo), LiveOptions(loops: true)) { player, _ in
            #expect(isPlaying(await next(player), live: false))
            player.send(.seek(.position(.seconds(9))))
            var event = await next(player)
            while isPlaying(event, live: false) { event = await next(player) }
            #expect(event == .looped)
            player.send(.seek(.position(.seconds(8))))
            await wait(until: .milliseconds(8500), of: player)
            player.send(.setLoops(false))
            event = await next(player)
            while isPlaying(event, live: false) { event = await next(player) }
            #expect(event == .ended)
        }
    }

    @Test("A looping file can be paused at any position, even while its end is being read")
    func pauses() async throws {
        try await play(.file(Project.testVideo), LiveOptions(loops: true)) { player, _ in
            #expect(isPlaying(await next(player), live: false))
            for place in stride(from: 4.0, to: 10, by: 0.5) {
                player.send(.seek(.position(.seconds(place))))
                player.send(.pause)
                try await Task.sleep(for: .milliseconds(400))
                player.send(.play)
                let start = ContinuousClock.now
                var before: Duration?
                for await state in player.playback.states where state.state == .playing {
                    if let before, before != state.progress.position { break }
                    before = before ?? state.progress.position
                    #expect(start.duration(to: .now) < .seconds(10), "stuck at \(place) s")
                }
            }
        }
    }

    @Test("A file with any name plays", arguments: ["a film.mp4", "Фільм #1 100%?.mp4", "a%20b.mp4"])
    func name(of file: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "film \(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: file).path(percentEncoded: false)
        try FileManager.default.copyItem(atPath: Project.testVideo, toPath: path)
        try await play(.file(path)) { player, _ in
            let event = await next(player)
            #expect(isPlaying(event, live: false), "\(String(describing: event))")
        }
    }

    @Test(
        "A missing file, or one without media, fails with a reason",
        arguments: ["/missing.mp4", #filePath]
    )
    func noMedia(path: String) async throws {
        try await play(.file(path)) { player, screen in
            guard case .failed(let failure) = await next(player) else {
                Issue.record("no failure")
                return
            }
            #expect(failure.reason == (path == #filePath ? .notMedia : .file))
            #expect(screen.count == 0)
        }
    }
}
