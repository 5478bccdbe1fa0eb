internal import CallCore
internal import GStreamerKit

/// A camera or a generated picture: raw media in real time.
@MediaActor
final class LiveSource: LocalSource {
    let tracks: [SourceTrack]

    private let pipeline: Pipeline
    private let failures: AsyncStream<MediaFailure>.Continuation
    private var reader: Task<Void, Never>?
    /// Whether it is a device, which is not stopped: its driver would begin with old pictures again.
    private var isDevice = false
    /// Hears, while the first picture is awaited, whether there is one.
    private var start: AsyncStream<Bool>.Continuation?

    /// Builds the pipeline from a description with appsinks named `video` and `audio`.
    ///
    /// - Parameters:
    ///   - description: in gst-launch's syntax.
    ///   - configure: sets what the description leaves open.
    ///   - failures: hears of what breaks once the source delivers.
    ///   - failure: puts an element's error into words.
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        description: String,
        configure: (Pipeline) -> Void = { _ in },
        failures: AsyncStream<MediaFailure>.Continuation,
        failure: @escaping @Sendable (String) -> MediaFailure
    ) throws {
        let pipeline = try Pipeline(parsing: description, name: "source")
        configure(pipeline)
        tracks = MediaKind.allCases.compactMap { kind in
            pipeline.element(named: kind.rawValue).map { sink in
                sink.set("sync", false)  // live: pictures are due when they come
                return SourceTrack(kind: kind, format: .raw, hub: AppSink(sink).hub)
            }
        }
        self.pipeline = pipeline
        self.failures = failures
        let messages = pipeline.messages
        reader = Task { [weak self] in
            for await message in messages {
                if case .error(_, let text, _) = message { self?.report(failure(text)) }
            }
        }
    }

    private func report(_ failure: MediaFailure) {
        if let start { start.yield(false) } else { failures.yield(failure) }
    }

    /// Runs the source and waits for its first picture.
    ///
    /// - Throws: `failure` where none comes within `limit`.
    func deliversPicture(within limit: Duration, otherwise failure: MediaFailure) async throws {
        isDevice = true
        guard let track = tracks.first(where: { $0.kind == .video }) else { return }
        let (outcomes, outcome) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        start = outcome
        let attachment = track.hub.attach { _ in outcome.yield(true) }
        defer {
            attachment.detach()
            start = nil
        }
        do { try pipeline.setState(.playing) } catch { throw failure }
        let delivered = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await hasPicture in outcomes { return hasPicture }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        try Task.checkCancellation()
        guard delivered else { throw failure }
    }

    func connectionIsUp() throws { try pipeline.setState(.playing) }

    func rest() { if !isDevice { try? pipeline.setState(.paused) } }

    func close() async {
        reader?.cancel()
        await reader?.value
        try? pipeline.setState(.null)
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
