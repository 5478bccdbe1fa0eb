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

    /// What ends the playing.
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
        let verdict = try await SignalingServer.run(
            configuration,
            services: [served.service],
            logger: logger
        ) { server in
            await events.write("server.listening", ["url": .string(server.url)])
            let url = ServedFile.url(on: server.url)
            console.say("live stream and its player in this process, at \(url)", .dim)
            return await served.offer { await play(url, of: served, window, interruption) }
        }
        await window?.close(console, events)
        return await verdict.report(console, events, after: interruption.state)
    }

    private func play(
        _ url: String,
        of served: ServedFile,
        _ window: WindowController?,
        _ interruption: StateStore<Interruption?>
    ) async -> LiveDemoVerdict {
        var verdict = LiveDemoVerdict(duration: duration)
        let isPublished = try? await withDeadline(Self.limit) { await served.channel.isPublished() }
        guard isPublished == true else {
            verdict.failure = LiveFailure(.file, "the server has packaged no part of \(file)")
            return verdict
        }
        let (frames, sink) = (Counter(), window?.sink)
        let output = LiveOutput(show: { frame in
            frames.add()
            sink?.show(frame, from: .remote)
        })
        let player = LivePlayer(LiveMediaPlayer(output, library: installation.library))
        let start = ContinuousClock.now
        let (end, firstFrame, interruptions) = await withTaskGroup(
            of: End?.self,
            returning: (End?, Duration?, Int).self
        ) { group in
            let (beginnings, begin) = AsyncStream.makeStream(of: Duration.self)
            let stalls = Counter()
            group.addTask {
                await player.run()
                return nil
            }
            group.addTask {
                for await event in player.events {
                    let (name, fields) = event.json
                    await events.write(name, fields)
                    switch event {
                    case .playing: begin.yield(ContinuousClock.now - start)
                    case .buffering, .offline: stalls.add()
                    case .failed(let failure): return .failed(failure)
                    case .loading, .paused, .notLive, .looped, .skippedAhead, .ended: break
                    }
                }
                return nil
            }
            if let window {
                let live = LiveViewModel(player) {}
                group.addTask {
                    await window.closed()
                    return .closed
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
            player.send(.select(.url(url)))
            let firstFrame = try? await withDeadline(Self.limit) {
                for await time in beginnings { return time }
                throw CancellationError()
            }
            if firstFrame != nil {
                group.addTask { [duration] in
                    (try? await Task.sleep(for: duration)) == nil ? nil : .played
                }
            } else {
                group.addTask {
                    .failed(LiveFailure(.timedOut, "no frame has arrived within \(DurationText(Self.limit))"))
                }
            }
            var end: End?
            while end == nil, let next = await group.next() { end = next }
            verdict.playback = player.playback.state
            player.finish()
            group.cancelAll()
            return (end, firstFrame, stalls.count)
        }
        verdict.firstFrame = firstFrame
        (verdict.frames, verdict.interruptions) = (frames.count, interruptions)
        switch end {
        case .failed(let failure): verdict.failure = failure
        case .closed, .interrupted: verdict.isIncomplete = true
        case .played, nil: break
        }
        return verdict
    }
}

/// A number that any thread may increment.
private final class Counter: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() { number.add(1, ordering: .relaxed) }
}
