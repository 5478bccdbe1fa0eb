internal import AppFlow
internal import Basics
internal import GLibKit
internal import LiveCore
internal import LiveMedia
internal import MediaKit

/// The run of `callrunner live`.
struct LiveProgram {
    private let request: LiveRequest
    private let surroundings: Surroundings

    private var console: Console { surroundings.console }
    private var events: EventWriter { surroundings.events }

    /// The reason why the run ends.
    private enum End: Sendable {
        case interrupted(Int32)
        case durationReached
        case streamEnded
        case windowClosed
        case recordingFailed
        case failed(LiveFailure)
    }

    init(_ request: LiveRequest, _ surroundings: Surroundings) {
        (self.request, self.surroundings) = (request, surroundings)
    }

    /// Plays until the stream ends, the requested duration has passed, or the program is interrupted.
    ///
    /// - Returns: The exit code.
    /// - Throws: `Failure`.
    func play(until interruption: StateStore<Interruption?>) async throws -> Int32 {
        defer { request.recording?.removeIfEmpty() }
        let installation = try Installation(
            pipelines: request.pipelines,
            environment: surroundings.environment
        )
        let starter = PlayerCommand.starter(installation)
        if request.recording == nil { await starter.prepare() }
        let window = try await WindowController.open(request.presentation, for: "stream", console)
        let recorder = request.recording.map {
            StreamRecorder(StreamRecording($0, library: installation.library), console, events)
        }
        let output = try await output(window, recorder?.recording)
        let service = service(output, starter, installation.library)
        let player = LivePlayer(service, options: request.options)
        let closing = ClosingLimit()
        let hung = (recorder == nil ? RunStatus.mediaFailed : .recordingFailed).rawValue
        return try await closing.during(console, events, exit: { interruption.state?.exit ?? hung }) {
            async let recorded = recorder?.run()
            let end = await play(player, window, recorder, until: interruption, closing)
            recorder?.recording.finish()
            await window?.close(console, events)
            let hasRecorded = try await recorded ?? true
            switch end {
            case .interrupted(let exit): return exit
            case .failed(let failure): throw Failure(failure, of: request.address)
            case .durationReached, .streamEnded, .windowClosed, .recordingFailed, nil:
                return hasRecorded ? 0 : RunStatus.recordingFailed.rawValue
            }
        }
    }

    /// Creates the service that plays the stream.
    private func service(
        _ output: LiveOutput,
        _ starter: PlayerStarter,
        _ library: PipelineLibrary
    ) -> any LiveStreamService {
        guard output.recording != nil else { return SeparatePlayer(output, starter) }
        // A stream is recorded in the process that plays it. This process has no other task, so it plays the stream
        // itself.
        ProcessLimits.playing.apply()
        return LiveMediaPlayer(output, library: library)
    }

    private func play(
        _ player: LivePlayer,
        _ window: WindowController?,
        _ recorder: StreamRecorder?,
        until interruption: StateStore<Interruption?>,
        _ closing: ClosingLimit
    ) async -> End? {
        await withTaskGroup(of: End?.self) { group in
            group.addTask {
                await player.run()
                return nil
            }
            group.addTask { await report(player) }
            group.addTask { await limit(player) }
            group.addTask {
                for await _ in NetworkMonitor() { player.networkChanged() }
                return nil
            }
            if let recorder {
                group.addTask {
                    for await hasFailed in recorder.failure.states where hasFailed { return .recordingFailed }
                    return nil
                }
            }
            if let window {
                group.addTask {
                    await window.closed()
                    return .windowClosed
                }
                let (quits, quit) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    for await _ in quits { return .windowClosed }
                    return nil
                }
                group.addTask {
                    await window.draw(LiveViewModel(player) { quit.yield() })
                    return nil
                }
                group.addTask {
                    await window.follow(DesktopAppearance(environment: surroundings.environment))
                    return nil
                }
            }
            group.addTask {
                for await reason in interruption.states {
                    if let exit = reason?.exit { return .interrupted(exit) }
                    if reason != nil { return .durationReached }
                }
                return nil
            }
            player.send(.select(request.address))
            var end: End?
            while end == nil, let next = await group.next() { end = next }
            closing.begin()
            player.finish()
            group.cancelAll()
            return end
        }
    }

    /// Finds the outputs: the window, and the loudspeaker that is used by default if there is a window.
    ///
    /// - Throws: `MediaFailure` if a loudspeaker was named and does not exist.
    private func output(
        _ window: WindowController?,
        _ recording: StreamRecording?
    ) async throws -> LiveOutput {
        let isAutomatic = request.speaker == .automatic
        let system = SoundCard.system(.playback, surroundings.environment)
        let speaker =
            isAutomatic && window == nil
            ? nil : try await AudioDevice.find(request.speaker, .playback, on: system)
        guard let sink = window?.sink else { return LiveOutput(speaker: speaker, recording: recording) }
        return LiveOutput(
            show: { sink.show($0, from: .remote) },
            isSeen: { sink.isSeen },
            height: { sink.shownHeight },
            speaker: speaker,
            recording: recording
        )
    }

    /// Reports the events of the player.
    ///
    /// - Returns: The end of the stream, or a failure after which the player does not try again; nil if the events end
    ///   without either.
    private func report(_ player: LivePlayer) async -> End? {
        for await event in player.events {
            let (name, fields) = event.json
            await events.write(name, fields)
            if let line = event.line { console.say(line) }
            switch event {
            case .ended: return .streamEnded
            case .failed(let failure): return .failed(failure)
            case .loading, .playing, .paused, .buffering, .offline, .notLive, .looped, .skippedAhead: break
            }
        }
        return nil
    }

    /// Waits for the first frame, then for the end of the requested duration.
    private func limit(_ player: LivePlayer) async -> End? {
        let begun = try? await withDeadline(request.timeout) {
            for await playback in player.playback.states where playback.format != nil { return true }
            return false
        }
        guard let begun else {
            guard !Task.isCancelled else { return nil }
            switch player.playback.state.state {
            case .offline(let failure, _), .notLive(let failure): return .failed(failure)
            case .empty, .loading, .playing, .paused, .buffering, .ended, .failed: break
            }
            let limit = DurationText(request.timeout)
            return .failed(LiveFailure(.timedOut, "no frame has arrived within \(limit)"))
        }
        guard begun, let duration = request.duration else { return nil }
        guard (try? await Task.sleep(for: duration)) != nil else { return nil }
        return .durationReached
    }
}

extension Failure {
    /// Creates the failure of a command that plays a stream; after a refused connection, its message names the address.
    init(_ failure: LiveFailure, of address: LiveAddress) {
        self.init(failure)
        guard case .url(let url) = address, failure.cause == .connectionRefused,
            let end = url.firstRange(of: "://")
        else { return }
        let host = url[end.upperBound...].prefix { !"/?#".contains($0) }
        message = "nothing listens at \(host.split(separator: "@").last ?? host)"
        hint = "check the address, or offer a stream there with `callrunner serve --live-file FILE`"
    }

    /// Creates the failure of a command that plays or publishes a stream.
    init(_ failure: LiveFailure) {
        let exit: RunStatus =
            switch failure.reason {
            case .invalid: .usage
            case .unreachable, .timedOut, .notLive, .serverFailed: .timedOut
            case .forbidden, .refused, .untrusted, .redirected: .signalingFailed
            case .notMedia, .damaged, .tooLarge, .unsupported, .file: .mediaFailed
            }
        self.init(
            code: "live-\(failure.reason.rawValue)",
            message: failure.message,
            hint: failure.hint,
            exit: exit.rawValue
        )
    }
}
