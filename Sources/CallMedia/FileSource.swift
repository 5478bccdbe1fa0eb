internal import CallCore
internal import GStreamerKit

/// A media file, looped without a gap; streams that peers accept pass through un-decoded.
///
/// It stands prerolled until the first connection is up, so that the first packet out is a keyframe.
@MediaActor
final class FileSource: LocalSource {
    let tracks: [SourceTrack]
    nonisolated let failures: AsyncStream<MediaFailure>

    private let pipeline: Pipeline
    private let path: String
    private let failureNews: AsyncStream<MediaFailure>.Continuation
    private var reader: Task<Void, Never>?
    private var isPlaying = false

    /// Opens `path` and waits until it could play.
    ///
    /// - Throws: `MediaFailure`.
    init(path: String, contents: FileContents, library: PipelineLibrary) async throws {
        self.path = path
        var description = try library.description("sources/file")
        for (kind, stream) in [(MediaKind.video, contents.video), (.audio, contents.audio)] {
            guard let stream else { continue }
            description += "\n" + (try Self.branch(for: stream, kind: kind, library: library))
        }
        pipeline = try Pipeline(parsing: description, name: "source")
        pipeline.element(named: "file")?.set("location", path)
        tracks = Self.tracks(of: contents, in: pipeline)
        (failures, failureNews) = AsyncStream.makeStream(of: MediaFailure.self)
        try await preroll()
    }

    private static func branch(
        for stream: FileContents.Stream,
        kind: MediaKind,
        library: PipelineLibrary
    ) throws -> String {
        if FileContents.obstacle(to: stream) == nil, let codec = stream.codec {
            return try library.description("streams/\(codec.pipelineName)")
        }
        return try library.description("streams/\(kind)", ["caps": stream.caps.mediaType])
    }

    private static func tracks(of contents: FileContents, in pipeline: Pipeline) -> [SourceTrack] {
        let weak = PipelineTime(pipeline)
        return [(MediaKind.video, contents.video), (.audio, contents.audio)].compactMap { kind, stream in
            guard let stream, let sink = pipeline.element(named: kind.rawValue) else { return nil }
            var format = SourceTrack.Format.raw
            if FileContents.obstacle(to: stream) == nil, let codec = stream.codec {
                format = .encoded(
                    codec,
                    profile: stream.caps.string("profile").flatMap(H264Profile.init(gstreamerName:))
                )
            }
            return SourceTrack(kind: kind, format: format, hub: AppSink(sink, offset: { weak.offset }).hub)
        }
    }

    /// Reaches PAUSED, then seeks to the start with a segment seek, which loops need.
    private func preroll() async throws {
        try pipeline.setState(.paused)
        var reached = 0
        for await message in pipeline.messages {
            switch message {
            case .stateReached:
                reached += 1
                if reached == 2 { return listen() }
                pipeline.seek(to: 0, flushing: true)
            case .error(_, let text, _): throw failure(text)
            default: break
            }
        }
        throw CancellationError()
    }

    private func listen() {
        reader = Task { [pipeline, failureNews, path] in
            for await message in pipeline.messages {
                switch message {
                case .segmentDone: pipeline.seek(to: 0, flushing: false)
                case .error(_, let text, _): failureNews.yield(Self.failure(text, path: path))
                default: break
                }
            }
        }
    }

    private func failure(_ text: String) -> MediaFailure { Self.failure(text, path: path) }

    private nonisolated static func failure(_ text: String, path: String) -> MediaFailure {
        .source(message: "\(path) cannot be played: \(text)", hint: "`ffprobe \(path)` tells what it is")
    }

    func connectionIsUp() throws {
        if isPlaying {
            // The far end is new: begin again at the keyframe before the present picture.
            try pipeline.setState(.paused)
            pipeline.seek(to: pipeline.position ?? 0, flushing: true)
        }
        pipeline.follow(.shared, from: MediaClock.shared.now)
        try pipeline.setState(.playing)
        isPlaying = true
    }

    func close() async {
        reader?.cancel()
        await reader?.value
        try? pipeline.setState(.null)
        failureNews.finish()
    }
}
