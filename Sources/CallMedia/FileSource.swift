internal import CallCore
internal import GStreamerKit

/// A media file, looped without a gap; streams that peers accept pass through un-decoded.
///
/// It stands prerolled until the first connection is up, so that the first packet out is a keyframe.
@MediaActor
final class FileSource: LocalSource {
    let tracks: [SourceTrack]

    private let pipeline: Pipeline
    private let path: String
    private let timeline = LoopTimeline()
    private let readAhead: ReadAhead
    private let failures: AsyncStream<MediaFailure>.Continuation
    private var reader: Task<Void, Never>?
    private var isPlaying = false
    private var latestSeek: UInt32?
    /// The seek that a flush made void; the end of its segment may still be on its way.
    private var voidSeek: UInt32?
    /// Hears, while the file is opened, what the pipeline reaches; nil stands for an error told.
    private var start: AsyncThrowingStream<Void, any Error>.Continuation?

    /// A shorter file is played once: a loop would turn in haste.
    private static let shortestLoop: UInt64 = 100_000_000
    private static let openingLimit = Duration.seconds(10)
    /// Nanoseconds of every stream that are read at once.
    private static let readingAhead: UInt64 = 3_000_000_000

    /// Opens `path` and waits until it could play; `failures` hears of what breaks later.
    ///
    /// `decodes` says that nothing is to be passed through.
    ///
    /// - Throws: `MediaFailure`, or `CancellationError`.
    init(
        path: String,
        contents: FileContents,
        decodes: Bool = false,
        library: PipelineLibrary,
        failures: AsyncStream<MediaFailure>.Continuation
    ) async throws {
        self.path = path
        self.failures = failures
        var description = try library.description("sources/file")
        for (kind, stream) in [(MediaKind.video, contents.video), (.audio, contents.audio)] {
            guard let stream else { continue }
            let branch =
                Self.format(of: stream, decodes: decodes) == .raw
                ? try library.description("streams/\(kind)", ["caps": stream.caps.mediaType])
                : try library.description("streams/\(stream.codec?.pipelineName ?? "")")
            description += "\n" + branch
        }
        pipeline = try Pipeline(parsing: description, name: "source")
        pipeline.element(named: "file")?.set("location", path)
        pipeline.element(named: "parsed")?.onPadAdded { [timeline] in timeline.correct($0) }
        readAhead = ReadAhead(
            MediaKind.allCases.compactMap { [pipeline] in pipeline.element(named: "\($0)-ahead") },
            enough: Self.readingAhead
        )
        tracks = Self.tracks(of: contents, decodes: decodes, in: pipeline)
        listen()
        do { try await preroll() } catch {
            await close()
            throw error
        }
    }

    /// How a stream leaves the file.
    private static func format(of stream: FileContents.Stream, decodes: Bool) -> SourceTrack.Format {
        guard !decodes, FileContents.obstacle(to: stream) == nil, let codec = stream.codec else {
            return .raw
        }
        return .encoded(codec, h264: stream.h264)
    }

    private static func tracks(of contents: FileContents, decodes: Bool, in pipeline: Pipeline)
        -> [SourceTrack]
    {
        let weak = PipelineTime(pipeline)
        return [(MediaKind.video, contents.video), (.audio, contents.audio)].compactMap { kind, stream in
            guard let stream, let sink = pipeline.element(named: kind.rawValue) else { return nil }
            return SourceTrack(
                kind: kind,
                format: format(of: stream, decodes: decodes),
                hub: AppSink(sink, offset: { weak.offset }).hub,
                mode: stream.videoMode
            )
        }
    }

    /// Reaches PAUSED, then seeks to the start with a segment seek, which loops need.
    private func preroll() async throws {
        let (news, start) = AsyncThrowingStream.makeStream(of: Void.self, throwing: (any Error).self)
        self.start = start
        defer { self.start = nil }
        try pipeline.setState(.paused)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [weak self] in
                var reached = news.makeAsyncIterator()
                try await reached.next()
                await self?.rewind()
                try await reached.next()
            }
            group.addTask { [path] in
                try await Task.sleep(for: Self.openingLimit)
                throw Self.failure("it does not begin to play within 10 s", path: path)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        try Task.checkCancellation()
    }

    private func rewind() {
        timeline.setLength(pipeline.duration ?? 0)
        seek(to: 0, flushing: true)
    }

    private func listen() {
        let messages = pipeline.messages
        reader = Task { [weak self] in for await message in messages { self?.handle(message) } }
    }

    private func handle(_ message: BusMessage) {
        switch message {
        case .stateReached: start?.yield()
        case .segmentDone(let number) where number != voidSeek: playAgain()
        case .error(_, let text, _): report(Self.failure(text, path: path))
        default: break
        }
    }

    private func report(_ failure: MediaFailure) {
        if let start { start.finish(throwing: failure) } else { failures.yield(failure) }
    }

    private func playAgain() {
        guard (pipeline.duration ?? 0) >= Self.shortestLoop else { return }
        if !seek(to: 0, flushing: false) { report(Self.failure("it cannot be rewound", path: path)) }
    }

    @discardableResult
    private func seek(to position: UInt64, flushing: Bool) -> Bool {
        if flushing { voidSeek = latestSeek }
        latestSeek = pipeline.seek(to: position, flushing: flushing)
        return latestSeek != nil
    }

    private nonisolated static func failure(_ text: String, path: String) -> MediaFailure {
        .source(message: "\(path) cannot be played: \(text)", hint: "`ffprobe \(path)` tells what it is")
    }

    func connectionIsUp() throws {
        if isPlaying {
            // The far end is new: begin again at the keyframe before the present picture.
            try pipeline.setState(.paused)
            seek(to: pipeline.position ?? 0, flushing: true)
        }
        pipeline.follow(.shared, from: MediaClock.shared.now)
        try pipeline.setState(.playing)
        isPlaying = true
    }

    func rest() { if isPlaying { try? pipeline.setState(.paused) } }

    func close() async {
        reader?.cancel()
        await reader?.value
        readAhead.stop()
        try? pipeline.setState(.null)
    }
}
