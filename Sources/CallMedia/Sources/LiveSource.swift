internal import CallCore
internal import GStreamerKit

/// What comes in real time: a camera, the screen, a generated picture, a live address, the user's own pipeline.
@MediaActor
final class LiveSource: LocalSource {
    private(set) var tracks: [SourceTrack]

    private let pipeline: Pipeline
    private let news: SourceEvents
    private var reader: Task<Void, Never>?
    private let stands: Standing
    private let endName: String?
    private var isBroken = false
    private var silence: SilenceWatch?
    /// The screen that is captured.
    private var display: CapturedDisplay?
    private var lossReader: Task<Void, Never>?
    /// Hears, while the first samples are awaited, whether they come.
    private var start: AsyncStream<First>.Continuation?

    /// How it stands while nobody is sent anything.
    enum Standing {
        /// Still.
        case still
        /// It goes on: a device would begin with old pictures again, and a server not at all.
        case running
    }

    /// What is heard while the first samples are awaited.
    private enum First: Sendable {
        case sample(MediaKind, Caps)
        case failed(MediaFailure)
        case timeout
    }

    /// Builds the pipeline from a description with app sinks `video` and `audio`.
    ///
    /// - Parameters:
    ///   - description: in gst-launch's syntax. An overlay `frame-number` in it is kept at the number of the picture.
    ///   - formats: of what comes encoded.
    ///   - stands: how, while nobody is sent anything.
    ///   - isPaced: whether the app sinks are to wait until samples are due, which they know from their times.
    ///   - endName: under which its end is the end of the call; nil where it must not end.
    ///   - configure: sets what the description leaves open.
    ///   - news: hears of what becomes of it once it delivers.
    ///   - failure: puts an element's error into words.
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        description: String,
        formats: [MediaKind: SourceTrack.Format] = [:],
        stands: Standing = .still,
        isPaced: Bool = false,
        endName: String? = nil,
        configure: (Pipeline) -> Void = { _ in },
        news: SourceEvents,
        failure: @escaping @Sendable (String) -> MediaFailure
    ) throws {
        let pipeline = try Pipeline(parsing: description, name: "source")
        configure(pipeline)
        let time = PipelineTime(pipeline)
        tracks = MediaKind.allCases.compactMap { kind in
            pipeline.element(named: kind.rawValue).map { sink in
                if !isPaced { sink.set("sync", false) }  // live: pictures are due when they come
                let hub = AppSink(sink, offset: { time.offset }).hub
                return SourceTrack(kind: kind, format: formats[kind] ?? .raw, hub: hub)
            }
        }
        if isPaced { pipeline.follow(.shared, from: MediaClock.shared.now) }
        self.pipeline = pipeline
        self.news = news
        self.stands = stands
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
        if let endName, start == nil { news.ended(endName) } else { report(failure) }
    }

    private func report(_ failure: MediaFailure) {
        if let start {
            start.yield(.failed(failure))
            return
        }
        // What one element's error brings about in others is told by them too.
        if !isBroken { news.failed(failure) }
        isBroken = true
    }

    /// Runs the source and waits for the first sample of each track.
    ///
    /// - Returns: the samples' caps.
    /// - Throws: what broke, or `failure` where not all come within `limit`.
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
        return try await withThrowingTaskGroup(of: [MediaKind: Caps]?.self) { group in
            group.addTask {
                try? await Task.sleep(for: limit)
                outcome.yield(.timeout)
                return nil
            }
            defer { group.cancelAll() }
            var caps: [MediaKind: Caps] = [:]
            for await news in outcomes {
                switch news {
                case .sample(let kind, let its): caps[kind] = its
                case .failed(let broken): throw broken
                case .timeout: throw failure
                }
                if caps.count == kinds.count { return caps }
            }
            throw CancellationError()
        }
    }

    /// Takes it for broken, with `failure`, where nothing comes for five seconds from now on.
    func expectNoSilence(_ failure: MediaFailure) {
        silence = SilenceWatch(tracks) { [weak self] in self?.report(failure) }
        silence?.set(isOn: true)
    }

    /// Fails with `failure` once the X server has gone whose screen this is.
    func watch(_ display: CapturedDisplay, otherwise failure: MediaFailure) {
        guard let source = pipeline.element(named: "screen") else { return }
        self.display = display
        display.watch(source)
        let losses = display.losses
        lossReader = Task { [weak self] in for await _ in losses { self?.report(failure) } }
    }

    /// Says what comes encoded, once that is known.
    func set(_ formats: [MediaKind: SourceTrack.Format]) {
        tracks = tracks.map {
            SourceTrack(kind: $0.kind, format: formats[$0.kind] ?? $0.format, hub: $0.hub)
        }
    }

    func connectionIsUp() throws { try pipeline.setState(.playing) }

    func rest() { if stands == .still { try? pipeline.setState(.paused) } }

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
        // Its thread never comes back, so that it can neither be stopped nor given back.
        _ = Unmanaged.passRetained(pipeline)
    }
}

/// Nothing to send.
@MediaActor
final class EmptySource: LocalSource {
    let tracks: [SourceTrack] = []

    func connectionIsUp() {}
    func rest() {}
    func close() async {}
}
