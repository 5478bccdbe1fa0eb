internal import Basics
internal import GStreamerKit

/// A live source: a camera, a microphone, a screen, a test pattern, silence, a live stream's URL or the
/// user's own pipeline.
@MediaActor
final class LiveSource: LocalSource {
    private(set) var tracks: [SourceTrack]

    private let pipeline: Pipeline
    private let events: SourceEvents
    private var reader: Task<Void, Never>?
    private let idleMode: IdleMode
    private let endName: String?
    private var isBroken = false
    private var silence: SilenceWatch?
    /// The screen that is captured; nil if the source is not a screen.
    private var display: CapturedDisplay?
    private var lossReader: Task<Void, Never>?
    /// Receives the first samples or a failure; nil if the first samples are not awaited.
    private var start: AsyncStream<First>.Continuation?

    /// The behavior of the source while no attempt sends it.
    enum IdleMode {
        /// The pipeline is paused.
        case still
        /// The pipeline keeps running, because a device would resume with old frames, and a server would not
        /// resume at all.
        case running
    }

    /// An event that occurs while the first samples are awaited.
    private enum First: Sendable {
        case sample(MediaKind, Caps)
        case failed(MediaFailure)
    }

    /// Builds the pipeline from a template with the appsinks `video` and `audio`.
    ///
    /// - Parameters:
    ///   - description: the pipeline in gst-launch syntax; an overlay `frame-number` in it shows the number
    ///     of each frame.
    ///   - formats: the formats of encoded tracks.
    ///   - idleMode: the behavior while no attempt sends the source.
    ///   - isPaced: whether the appsinks wait until samples are due according to their timestamps.
    ///   - endName: the name to report when the source ends; nil if the end of the source is a failure.
    ///   - configure: sets the properties that the template does not set.
    ///   - events: receives events of the source after it has started.
    ///   - failure: creates the failure for an element's error.
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        description: String,
        formats: [MediaKind: SourceTrack.Format] = [:],
        idleMode: IdleMode = .still,
        isPaced: Bool = false,
        endName: String? = nil,
        configure: (Pipeline) -> Void = { _ in },
        events: SourceEvents,
        failure: @escaping @Sendable (String) -> MediaFailure
    ) throws {
        let pipeline = try Pipeline(parsing: description, name: "source")
        configure(pipeline)
        let time = PipelineTime(pipeline)
        tracks = MediaKind.allCases.compactMap { kind in
            pipeline.element(named: kind.rawValue).map { sink in
                if !isPaced { sink.set("sync", false) }  // live: frames are due when they arrive
                let hub = AppSink(sink, offset: { time.offset }).hub
                return SourceTrack(kind: kind, format: formats[kind] ?? .raw, hub: hub)
            }
        }
        if isPaced { pipeline.follow(.shared, from: MediaClock.shared.now) }
        self.pipeline = pipeline
        self.events = events
        self.idleMode = idleMode
        self.endName = endName
        FrameNumber.show(in: pipeline)
        let messages = pipeline.messages
        reader = Task { [weak self] in
            for await message in messages {
                switch message {
                case .error(_, _, let text, _): self?.report(failure(text))
                case .endOfStream: self?.end(otherwise: failure("it has ended"))
                default: break
                }
            }
        }
    }

    private func end(otherwise failure: MediaFailure) {
        if let endName, start == nil { events.ended(endName) } else { report(failure) }
    }

    private func report(_ failure: MediaFailure) {
        if let start {
            start.yield(.failed(failure))
            return
        }
        // Further errors, by other elements, result from the first error.
        if !isBroken { events.failed(failure) }
        isBroken = true
    }

    /// Starts the source and waits for the first sample of each track.
    ///
    /// - Returns: the caps of the samples.
    /// - Throws: the failure of the source, `failure` if the source does not start or a track delivers
    ///   nothing within `limit`, or `CancellationError`.
    @discardableResult
    func delivers(within limit: Duration, otherwise failure: MediaFailure) async throws -> [MediaKind: Caps] {
        let (outcomes, outcome) = AsyncStream.makeStream(
            of: First.self,
            bufferingPolicy: .bufferingOldest(64)
        )
        start = outcome
        let attachments = tracks.map { track in
            track.hub.attach { [kind = track.kind] in outcome.yield(.sample(kind, $0.caps)) }
        }
        defer {
            for attachment in attachments { attachment.detach() }
            start = nil
        }
        do { try pipeline.setState(.playing) } catch { throw failure }
        let kinds = Set(tracks.map(\.kind))
        let found = try await withDeadline(limit) {
            var caps: [MediaKind: Caps] = [:]
            for await event in outcomes {
                switch event {
                case .sample(let kind, let its): caps[kind] = its
                case .failed(let failure): throw failure
                }
                if caps.count == kinds.count { break }
            }
            try Task.checkCancellation()
            return caps
        }
        guard let found else { throw failure }
        return found
    }

    /// Starts to watch the tracks; reports `failure` if no sample arrives for five seconds.
    func expectNoSilence(_ failure: MediaFailure) {
        silence = SilenceWatch(tracks) { [weak self] in self?.report(failure) }
        silence?.set(isOn: true)
    }

    /// Reports `failure` when the connection to the X server of the captured screen is lost.
    func watch(_ display: CapturedDisplay, otherwise failure: MediaFailure) {
        guard let source = pipeline.element(named: "screen") else { return }
        self.display = display
        display.watch(source)
        let losses = display.losses
        lossReader = Task { [weak self] in for await _ in losses { self?.report(failure) } }
    }

    /// Sets the formats of encoded tracks once they are known.
    func set(_ formats: [MediaKind: SourceTrack.Format]) {
        tracks = tracks.map {
            SourceTrack(kind: $0.kind, format: formats[$0.kind] ?? $0.format, hub: $0.hub)
        }
    }

    func connectionIsUp() throws { try pipeline.setState(.playing) }

    func rest() { if idleMode == .still { try? pipeline.setState(.paused) } }

    func close() async {
        reader?.cancel()
        await reader?.value
        await silence?.close()
        display?.close()
        await lossReader?.value
        guard display?.isLost == true else {
            try? pipeline.setState(.null)
            return
        }
        // The capturing thread never returns, so the pipeline can be neither stopped nor freed.
        _ = Unmanaged.passRetained(pipeline)
    }
}

/// A source without tracks.
@MediaActor
final class EmptySource: LocalSource {
    let tracks: [SourceTrack] = []

    func connectionIsUp() {}
    func rest() {}
    func close() async {}
}
