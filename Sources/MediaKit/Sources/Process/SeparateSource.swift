internal import Basics
internal import GLibKit
internal import GStreamerKit

/// The media of a URL, loaded by a separate process.
///
/// If the media makes GStreamer crash, hang or use too much memory, only that process ends, and the source is lost.
@MediaActor
final class SeparateSource: LocalSource {
    let tracks: [SourceTrack]

    private let process: Loader
    /// The pipe, which stays open until the process has ended, because a write to a closed pipe would end it early.
    private let pipe: PipeReader
    /// A stream that finishes after the last sample.
    private let samples: AsyncStream<Never>
    private let events: SourceEvents
    private var tasks: [Task<Void, Never>] = []
    /// Detects that the process hangs, earlier than `SeparateProcess` does.
    private var silence: SilenceWatch?
    private var warnings = 0
    private var isBroken = false

    /// The time without samples, in seconds, after which the source fails; the process reports a silent server earlier.
    private static let longestSilence: UInt64 = 6
    private static let mostWarnings = 20

    typealias Loader = SeparateProcess<LoaderRequest, LoaderReport>

    /// Opens the media of a URL in a new process.
    ///
    /// - Returns: The source, and the notice about it.
    /// - Throws: `MediaFailure`, or `CancellationError`.
    static func open(
        _ place: MediaURL,
        _ setup: LoaderSetup,
        with command: ProcessCommand,
        events: SourceEvents
    ) async throws -> (SeparateSource, MediaNotice) {
        let (process, pipe): (Loader, PipeReader)
        do { (process, pipe) = try await start(command) } catch {
            throw place.failure("the process that loads it cannot be started: \(error)")
        }
        process.send(.open(setup))
        do {
            let media = try await answer(of: process, place, events)
            let notice = MediaNotice.source(
                kind: "url",
                name: place.shortName,
                video: media.video,
                audio: media.audio,
                reason: media.reason
            )
            return (SeparateSource(process, pipe, media, place, events), notice)
        } catch {
            await process.stop()
            throw error
        }
    }

    @LoopActor
    private static func start(_ command: ProcessCommand) throws(GLibError) -> (Loader, PipeReader) {
        let (reader, writer) = try PipeReader.pipe()
        return (Loader(try command.start(taking: [writer])), reader)
    }

    /// Waits until the media is opened, and returns its streams.
    private static func answer(
        of process: Loader,
        _ place: MediaURL,
        _ events: SourceEvents
    ) async throws -> LoadedMedia {
        for await report in process.reports {
            switch report {
            case .opened(let media): return media
            case .refused(let failure), .failed(let failure): throw failure
            case .warned(let text): events.warn(text)
            case .ended, .alive: break
            }
        }
        try Task.checkCancellation()
        throw place.failure(await process.loss?.sentence ?? "it was closed")
    }

    private init(
        _ process: Loader,
        _ pipe: PipeReader,
        _ media: LoadedMedia,
        _ place: MediaURL,
        _ events: SourceEvents
    ) {
        (self.process, self.events, self.pipe) = (process, events, pipe)
        let tracks = media.tracks.map {
            SourceTrack(kind: $0.kind, format: $0.format, hub: SampleHub(), mode: $0.mode)
        }
        self.tracks = tracks
        let (refusals, refusal) = AsyncStream.makeStream(of: Void.self)
        samples = pipe.run(threadName: "source-samples") { [types = media.tracks.map(\.mediaType)] pipe in
            var reader = SampleReader(pipe, mediaTypes: types)
            while let (stream, sample) = reader.next() { tracks[stream].hub.publish(sample) }
            if !reader.isAtEnd { refusal.yield() }
            refusal.finish()
        }
        silence = SilenceWatch(tracks, limit: Self.longestSilence) { [weak self] in
            self?.fail(place.failure("no more data arrives"))
        }
        tasks = [
            Task { for await _ in refusals { await process.discard() } },
            Task { [weak self] in
                for await report in process.reports { self?.handle(report) }
                if let loss = await process.loss { self?.fail(place.failure(loss.sentence)) }
            },
        ]
    }

    private func handle(_ report: LoaderReport) {
        switch report {
        case .failed(let failure), .refused(let failure): fail(failure)
        case .warned(let text):
            warnings += 1
            if warnings <= Self.mostWarnings { events.warn(text) }
        case .ended(let name):
            silence?.set(isOn: false)
            events.ended(name)
        case .opened, .alive: break
        }
    }

    private func fail(_ failure: MediaFailure) {
        silence?.set(isOn: false)
        // Further failures result from the first one.
        if !isBroken { events.failed(failure) }
        isBroken = true
    }

    func connectionIsUp() {
        process.send(.play)
        silence?.set(isOn: true)
    }

    func rest() {
        silence?.set(isOn: false)
        process.send(.rest)
    }

    func close() async {
        await silence?.close()
        await process.stop(andEnd: samples)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

extension ProcessLoss {
    /// The end of the process as the reason why the media of a URL cannot be played, without a full stop.
    fileprivate var sentence: String {
        switch self {
        case .ended(let end): "it made the process that loads it \(end.words)"
        case .hung: "the process that loads it has hung for \(DurationText(ProcessBeat.silence))"
        case .implausible: "the process that loads it sent invalid data"
        }
    }
}
