internal import AppFlow
internal import Basics
internal import CallMedia
internal import LiveCore
internal import LiveMedia
internal import LiveServer
internal import Logging
internal import SignalingServer
internal import Synchronization

/// The demo of a live stream: a server that offers a file as a stream, and a player that plays it.
struct LiveDemo {
    /// The time limit for the first segments of the stream, and then for its first frame.
    private static let limit = Duration.seconds(20)

    let file: String
    let duration: Duration
    let presentation: Presentation
    let installation: Installation
    let surroundings: Surroundings

    private var console: Console { surroundings.console }
    private var events: EventWriter { surroundings.events }

    /// The reason why the demo ends.
    private enum End: Sendable {
        case played, closed, interrupted
        case failed(LiveFailure)
    }

    /// Plays the stream for the duration, and reports whether it works.
    ///
    /// - Returns: The exit code.
    /// - Throws: `Failure`, `WindowError` or `ServerError`.
    func hold(until interruption: StateStore<Interruption?>) async throws -> Int32 {
        var configuration = ServerConfiguration()
        configuration.port = 0
        let logger = Logger(label: "callrunner.server")
        let served = ServedFile(file, installation, logger: logger) { [console] in console.say($0, .failure) }
        let window = try await WindowController.open(presentation, for: "demo", console)
        let closing = ClosingLimit()
        let failed = RunStatus.mediaFailed.rawValue
        let verdict = try await closing.during(console, events, exit: { interruption.state?.exit ?? failed })
        {
            try await SignalingServer.run(configuration, services: [served.service], logger: logger) {
                server in
                await events.write("server.listening", ["url": .string(server.url)])
                let url = ServedFile.url(on: server.url)
                console.say("this process serves the live stream at \(url), and plays it", .dim)
                return await served.offer { await play(url, of: served, window, interruption, closing) }
            }
        }
        await window?.close(console, events)
        return await verdict.report(console, events, after: interruption.state)
    }

    private func play(
        _ url: String,
        of served: ServedFile,
        _ window: WindowController?,
        _ interruption: StateStore<Interruption?>,
        _ closing: ClosingLimit
    ) async -> LiveDemoVerdict {
        let (measure, sink) = (Measure(), window?.sink)
        let output = LiveOutput(show: { frame in
            measure.addFrame()
            sink?.show(frame, from: .remote)
        })
        let player = LivePlayer(LiveMediaPlayer(output, library: installation.library))
        let end = await withTaskGroup(of: End?.self) { group in
            group.addTask {
                await player.run()
                return nil
            }
            group.addTask { await follow(player, measure) }
            group.addTask { await begin(player, url, served) }
            if let window {
                let (quits, quit) = AsyncStream.makeStream(of: Void.self)
                let live = LiveViewModel(player) { quit.yield() }
                group.addTask {
                    await window.closed()
                    return .closed
                }
                group.addTask {
                    for await _ in quits { return .closed }
                    return nil
                }
                group.addTask {
                    await window.draw(live)
                    return nil
                }
            }
            group.addTask {
                for await reason in interruption.states where reason != nil { return .interrupted }
                return nil
            }
            var end: End?
            while end == nil, let next = await group.next() { end = next }
            measure.finish(player.playback.state)
            closing.begin()
            player.finish()
            group.cancelAll()
            return end
        }
        return measure.verdict(duration, end)
    }

    /// Waits for the stream, and plays it for the duration.
    private func begin(_ player: LivePlayer, _ url: String, _ served: ServedFile) async -> End? {
        let isPublished = try? await withDeadline(Self.limit) { await served.channel.isPublished() }
        guard !Task.isCancelled else { return nil }
        guard isPublished == true else {
            let limit = DurationText(Self.limit)
            return .failed(LiveFailure(.file, "no segment of \(file) was published within \(limit)"))
        }
        player.send(.select(.url(url)))
        let hasBegun = try? await withDeadline(Self.limit) {
            for await playback in player.playback.states where playback.format != nil { return true }
            return false
        }
        guard !Task.isCancelled else { return nil }
        guard hasBegun == true else {
            return .failed(LiveFailure(.timedOut, "no frame has arrived within \(DurationText(Self.limit))"))
        }
        return (try? await Task.sleep(for: duration)) == nil ? nil : .played
    }

    /// Reports and measures the events of the player, and returns a failure.
    private func follow(_ player: LivePlayer, _ measure: Measure) async -> End? {
        for await event in player.events {
            let (name, fields) = event.json
            await events.write(name, fields)
            measure.add(event)
            if case .failed(let failure) = event { return .failed(failure) }
        }
        return nil
    }
}

extension LiveDemo {
    /// The measurements of a demo, which any thread may add to.
    private final class Measure: Sendable {
        private struct State {
            var verdict = LiveDemoVerdict(duration: .zero)
            var loading: ContinuousClock.Instant?
            /// The time at which the stream stalled; nil while it plays.
            var standing: ContinuousClock.Instant?
        }

        private let state = Mutex(State())
        private let frames = Atomic(0)

        func addFrame() { frames.add(1, ordering: .relaxed) }

        func add(_ event: LiveEvent) {
            let now = ContinuousClock.now
            state.withLock { state in
                switch event {
                case .loading: state.loading = state.loading ?? now
                case .playing:
                    if state.verdict.firstFrame == nil, let loading = state.loading {
                        state.verdict.firstFrame = now - loading
                    }
                    if let standing = state.standing { state.verdict.stoodStill += now - standing }
                    state.standing = nil
                case .buffering, .offline:
                    guard state.verdict.firstFrame != nil, state.standing == nil else { return }
                    state.verdict.interruptions += 1
                    state.standing = now
                case .paused: state.verdict.isIncomplete = true
                case .notLive, .looped, .skippedAhead, .ended, .failed: break
                }
            }
        }

        /// Ends the measurement in this state of the player.
        func finish(_ playback: LivePlayback) {
            let now = ContinuousClock.now
            state.withLock { state in
                if let standing = state.standing { state.verdict.stoodStill += now - standing }
                state.standing = nil
                state.verdict.playback = playback
            }
        }

        func verdict(_ duration: Duration, _ end: End?) -> LiveDemoVerdict {
            var verdict = state.withLock { $0.verdict }
            verdict.duration = duration
            verdict.frames = frames.load(ordering: .relaxed)
            switch end {
            case .failed(let failure): verdict.failure = failure
            case .closed, .interrupted: verdict.isIncomplete = true
            case .played, nil: break
            }
            return verdict
        }
    }
}
