internal import Basics
internal import GLibKit
internal import LiveCore
internal import MediaKit

/// A stream that is played by a separate process.
@LoopActor
final class SeparateStream: LiveStream {
    nonisolated let events: AsyncStream<LiveStreamEvent>

    private let event: AsyncStream<LiveStreamEvent>.Continuation
    /// The result of opening the stream.
    private let answers: AsyncStream<Result<Void, LiveFailure>>
    private let answer: AsyncStream<Result<Void, LiveFailure>>.Continuation
    private let output: LiveOutput
    /// A stream without elements, which finishes after the last frame.
    private let frames: AsyncStream<Never>
    private let process: SeparateProcess<PlayerRequest, PlayerReport>
    private var reader: Task<Void, Never>?
    private var view: PlayerView

    /// Creates a stream from a process that does not play anything yet.
    init(_ process: PlayerProcess, _ output: LiveOutput) {
        (events, event) = AsyncStream.makeStream()
        (answers, answer) = AsyncStream.makeStream()
        self.output = output
        view = PlayerView(output)
        self.process = SeparateProcess(process.child)
        frames = process.shown.start(threadName: "live-frames") {
            [slots = process.slots, show = output.show] numbers in
            // If several frames have waited for a slow window, only the last one is still due.
            let waiting = numbers.map { slots.frame(in: Int($0)) }
            if let frame = waiting.last ?? nil { show?(frame) }
        }
        reader = Task { await self.read() }
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
        process.send(.open(setup))
        for await answer in answers { return try answer.get() }
        throw CancellationError()
    }

    // MARK: LiveStream

    func apply(_ options: LiveOptions) { ask(.apply(options)) }

    func seek(to target: LiveSeek) { ask(.seek(target)) }

    nonisolated func close() async {
        await process.stop(andEnd: frames)
        await reader?.value
    }

    // MARK: The process

    private func ask(_ request: PlayerRequest) {
        look()
        process.send(request)
    }

    /// Sends the process the visibility and the height of the frames, if they have changed.
    private func look() {
        let view = PlayerView(output)
        guard view != self.view else { return }
        self.view = view
        process.send(.look(view))
    }

    private func read() async {
        for await report in process.reports { handle(report) }
        if let failure = process.loss.map(LiveFailure.init) {
            answer.yield(.failure(failure))
            event.yield(.failed(failure))
        }
        answer.finish()
        event.finish()
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
        case .alive: break
        }
        look()
    }
}

extension PlayerView {
    /// Creates the view from the current state of an output.
    fileprivate init(_ output: LiveOutput) { self.init(isSeen: output.isSeen(), height: output.height()) }
}

extension LiveFailure {
    /// Creates the failure of a stream whose process has crashed, hung or misbehaved.
    fileprivate init(_ loss: ProcessLoss) {
        switch loss {
        case .ended(let end): self.init(.damaged, "the stream made its player \(end.words)")
        case .hung:
            self.init(.timedOut, "the player has hung for \(DurationText(ProcessBeat.silence))")
        case .implausible: self.init(.damaged, "the player sent invalid data")
        }
    }
}
