internal import CallCore
internal import GStreamerKit

/// A camera or a generated picture: raw media in real time.
@MediaActor
final class LiveSource: LocalSource {
    let tracks: [SourceTrack]
    nonisolated let failures: AsyncStream<MediaFailure>

    private let pipeline: Pipeline
    private let failureNews: AsyncStream<MediaFailure>.Continuation
    private var reader: Task<Void, Never>?

    /// Builds the pipeline from a description with appsinks named `video` and `audio`.
    ///
    /// - Parameters:
    ///   - description: in gst-launch's syntax.
    ///   - configure: sets what the description leaves open.
    ///   - failure: puts an element's error into words.
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        description: String,
        configure: (Pipeline) -> Void = { _ in },
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
        (failures, failureNews) = AsyncStream.makeStream(of: MediaFailure.self)
        reader = Task { [failureNews] in
            for await message in pipeline.messages {
                if case .error(_, let text, _) = message { failureNews.yield(failure(text)) }
            }
        }
    }

    /// Runs the source and waits for its first picture.
    ///
    /// - Throws: `MediaFailure` where none comes within `limit`.
    func deliversPicture(within limit: Duration, otherwise failure: MediaFailure) async throws {
        guard let track = tracks.first(where: { $0.kind == .video }) else { return }
        let (pictures, news) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        let attachment = track.hub.attach { _ in news.yield(true) }
        defer { attachment.detach() }
        do { try pipeline.setState(.playing) } catch { throw failure }
        let delivered = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in pictures { return true }
                return false
            }
            group.addTask { [failures] in
                for await _ in failures { return false }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        guard delivered else { throw failure }
    }

    func connectionIsUp() throws { try pipeline.setState(.playing) }

    func close() async {
        reader?.cancel()
        await reader?.value
        try? pipeline.setState(.null)
        failureNews.finish()
    }
}

/// Nothing to send.
@MediaActor
final class EmptySource: LocalSource {
    let tracks: [SourceTrack] = []
    nonisolated let failures = AsyncStream<MediaFailure> { $0.finish() }

    func connectionIsUp() {}
    func close() async {}
}
