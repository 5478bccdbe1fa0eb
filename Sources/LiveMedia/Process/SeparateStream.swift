internal import Basics
internal import GLibKit
internal import LiveCore

/// A stream that a process of its own plays.
@LoopActor
final class SeparateStream: LiveStream {
    nonisolated let events: AsyncStream<LiveStreamEvent>

    private let event: AsyncStream<LiveStreamEvent>.Continuation
    private let requests: AsyncStream<PlayerRequest>
    private let request: AsyncStream<PlayerRequest>.Continuation
    /// The result of opening the stream.
    private let answers: AsyncStream<Result<Void, LiveFailure>>
    private let answer: AsyncStream<Result<Void, LiveFailure>>.Continuation
    private let output: LiveOutput
    /// Finishes after the last frame.
    private let frames: AsyncStream<Never>
    private let process: ChildProcess
    private var tasks: [Task<Void, Never>] = []
    private var view: PlayerView
    private var isClosing = false
    /// The number of times that the process has reported to be alive.
    private var beats = 0
    /// The reason for which the process is killed; nil if it ends by itself.
    private var reason: LiveFailure?

    /// The time after which a process that does not end is killed.
    private static let closingLimit = Duration.seconds(1)
    /// The number of beats that a process may miss before it is killed.
    ///
    /// GStreamer may wait for an answer of the server for seven seconds.
    private static let silentBeats = 7

    /// Takes over a process that plays nothing yet.
    init(_ process: PlayerProcess, _ output: LiveOutput) {
        (events, event) = AsyncStream.makeStream()
        (requests, request) = AsyncStream.makeStream()
        (answers, answer) = AsyncStream.makeStream()
        self.output = output
        view = PlayerView(output)
        self.process = process.child
        frames = process.shown.start(threadName: "live-frames") {
            [slots = process.slots, show = output.show] numbers in
            // Of frames that have waited for a slow window, only the last one is still due.
            let waiting = numbers.map { slots.frame(in: Int($0)) }
            if let frame = waiting.last ?? nil { show?(frame) }
        }
        tasks = [
            Task { await self.write() }, Task { await self.read() },
            Task { await self.watch() },
        ]
    }

    /// Opens the stream; to be called once.
    ///
    /// - Throws: `LiveFailure`, or `CancellationError`.
    func open(_ address: LiveAddress, _ options: LiveOptions) async throws {
        let setup = PlayerSetup(
            address: address,
            options: options,
            speaker: output.speaker,
            takesSelectedSpeaker: output.takesSelectedSpeaker,
            hasVideo: output.show != nil,
            view: view
        )
        request.yield(.open(setup))
        for await answer in answers { return try answer.get() }
        throw CancellationError()
    }

    // MARK: LiveStream

    func apply(_ options: LiveOptions) { ask(.apply(options)) }

    func seek(to target: LiveSeek) { ask(.seek(target)) }

    nonisolated func close() async {
        // A task of its own, because the calling one may be cancelled.
        await Task { await stop() }.value
    }

    private func stop() async {
        isClosing = true
        request.finish()
        let end = try? await withDeadline(Self.closingLimit) { [process] in try await process.end() }
        if end == nil {
            process.kill()
            // A driver may keep even a killed process.
            _ = try? await withDeadline(Self.closingLimit) { [process] in try await process.end() }
        }
        _ = try? await withDeadline(Self.closingLimit) { [frames] in for await _ in frames {} }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    // MARK: The process

    private func ask(_ request: PlayerRequest) {
        look()
        self.request.yield(request)
    }

    /// Tells the process how somebody looks now, if that has changed.
    private func look() {
        let view = PlayerView(output)
        guard view != self.view else { return }
        self.view = view
        request.yield(.look(view))
    }

    private func write() async {
        for await request in requests {
            guard let line = try? request.line() else { continue }
            do { try await process.write(line) } catch { break }
        }
        process.closeInput()
    }

    /// Kills a process that hangs: GStreamer may wait for itself.
    private func watch() async {
        var (known, silent) = (beats, 0)
        // Counted in short waits, because both processes stand still while the computer sleeps.
        while silent < Self.silentBeats {
            guard (try? await Task.sleep(for: PlayerHost.beat)) != nil else { return }
            silent = beats == known ? silent + 1 : 0
            known = beats
        }
        let span = DurationText(PlayerHost.beat * Self.silentBeats)
        reason = LiveFailure(.timedOut, "the player has hung for \(span)")
        process.kill()
    }

    private func read() async {
        var (splitter, allowance) = (LineSplitter(), ReportAllowance())
        reading: while let bytes = try? await process.read(), !bytes.isEmpty {
            for line in splitter.append(bytes) {
                guard let report = Self.report(in: line), allowance.take(at: .now) else {
                    reason = LiveFailure(.damaged, "the stream made its player send nonsense")
                    process.kill()
                    break reading
                }
                handle(report)
            }
        }
        if !isClosing {
            let crash = LiveFailure(.damaged, "the stream made its player crash or need too much memory")
            let failure = reason ?? crash
            answer.yield(.failure(failure))
            event.yield(.failed(failure))
        }
        answer.finish()
        event.finish()
    }

    /// Reads a report; nil if no player sends such a line.
    private static func report(in line: LineSplitter.Line) -> PlayerReport? {
        guard case .text(let text) = line, let report = try? PlayerReport(line: text) else { return nil }
        return report.isPlausible ? report : nil
    }

    private func handle(_ report: PlayerReport) {
        switch report {
        case .opened: answer.yield(.success(()))
        case .refused(let failure): answer.yield(.failure(failure))
        case .event(let known):
            event.yield(known)
            switch known {
            case .ended, .failed: event.finish()
            case .started, .changed, .stalled, .resumed, .progress, .looped: break
            }
        case .alive: beats += 1
        }
        look()
    }
}

extension PlayerView {
    /// The way in which somebody looks at the frames of these outputs now.
    fileprivate init(_ output: LiveOutput) { self.init(isSeen: output.isSeen(), height: output.height()) }
}
