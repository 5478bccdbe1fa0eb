internal import Basics
internal import GStreamerKit

/// Reads the beginning of a file or URL to determine its streams.
package struct FileProbe {
    /// The number of frames that is sufficient to detect reordering; H.264 delays the output of a frame by at
    /// most 16 frames.
    private static let framesToRead = 48

    private enum Event: Sendable {
        case pad(String, Caps?), sample(String, Caps, UInt64?, orientation: String?), allPads, end, timeout
        case failed(String)
    }

    private struct Track {
        var caps: Caps?
        var samples = 0
        var latest: UInt64 = 0
        var isReordered = false
        var orientation: String?

        mutating func add(_ caps: Caps, _ time: UInt64?, _ orientation: String?) {
            self.caps = caps
            self.orientation = orientation ?? self.orientation
            samples += 1
            guard let time else { return }
            if time < latest { isReordered = true }
            latest = max(latest, time)
        }

        /// Returns whether the track has been read far enough; only audio and video tracks require samples.
        func isKnown(enough: Int) -> Bool {
            guard let caps else { return false }
            if caps.mediaType.hasPrefix("video/") || caps.mediaType == "image/jpeg" {
                return samples >= enough
            }
            return !caps.mediaType.hasPrefix("audio/") || samples > 0
        }
    }

    /// Determines the streams of the file at `path`.
    ///
    /// - Throws: `MediaFailure.source` if the file is missing, unreadable, or not a media file.
    @MediaActor
    package static func read(path: String, library: PipelineLibrary) async throws -> FileContents {
        try await read(.file(path), library: library)
    }

    /// Determines the streams of a file or URL, which is loaded through `gateway` if it is a playlist.
    ///
    /// - Throws: `MediaFailure.source` if the file is missing, unreadable, or not a media file.
    @MediaActor
    static func read(
        _ place: MediaURL,
        through gateway: (any PlaylistGateway)? = nil,
        library: PipelineLibrary
    ) async throws -> FileContents {
        let pipeline = try Pipeline(parsing: library.description(place.pipeline), name: "probe")
        place.set(in: pipeline)
        defer { try? pipeline.setState(.null) }
        do {
            let contents = try await read(pipeline, place)
            await gateway?.finish()
            return contents
        } catch {
            let reason = await gateway?.failure
            await gateway?.finish()
            guard error is MediaFailure, let reason else { throw error }
            throw place.failure(reason)
        }
    }

    @MediaActor
    private static func read(_ pipeline: Pipeline, _ place: MediaURL) async throws -> FileContents {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        collect(from: pipeline, into: continuation)
        try pipeline.setState(.playing)
        return try await withThrowingTaskGroup(of: FileContents?.self) { group in
            group.addTask { [messages = pipeline.messages] in
                for await message in messages {
                    switch message {
                    case .error(_, _, let text, _): continuation.yield(.failed(text))
                    case .endOfStream: continuation.yield(.end)
                    default: break
                    }
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: .seconds(10))
                continuation.yield(.timeout)
                return nil
            }
            defer { group.cancelAll() }
            return try await evaluate(events, place)
        }
    }

    private static func collect(from pipeline: Pipeline, into events: AsyncStream<Event>.Continuation) {
        guard let parser = pipeline.element(named: "parsed") else { return }
        let weak = WeakPipeline(pipeline)
        parser.onPadAdded { pad in
            guard let sink = try? Element(factory: "appsink") else { return }
            let name = pad.name
            events.yield(.pad(name, pad.caps))
            sink.set("sync", false)
            sink.set("async", false)
            let app = AppSink(sink)
            _ = app.hub.attach { [pad] sample in
                let orientation = pad.tag("image-orientation").flatMap { $0 == "rotate-0" ? nil : $0 }
                events.yield(.sample(name, sample.caps, sample.presentationTime, orientation: orientation))
            }
            weak.append(sink, to: pad)
        }
        parser.onNoMorePads { events.yield(.allPads) }
    }

    private static func evaluate(_ events: AsyncStream<Event>, _ place: MediaURL) async throws
        -> FileContents
    {
        var tracks: [String: Track] = [:]
        var (knowsAll, ended) = (false, false)
        for await item in events {
            switch item {
            case .pad(_, let caps?) where Playlists.contains(caps.mediaType):
                switch place {
                case .file(let path): throw Playlists.failure(path)
                case .http: throw place.failure("it has become a list of other addresses since the check")
                case .rtsp: break
                }
            case .pad(let index, let caps): tracks[index, default: Track()].caps = caps
            case .allPads: knowsAll = true
            case .end: ended = true
            case .timeout where tracks.values.contains { $0.samples > 0 }: ended = true
            case .timeout: throw place.failure("playback does not begin within 10 s")
            case .sample(let index, let caps, let time, let orientation):
                tracks[index, default: Track()].add(caps, time, orientation)
            case .failed(let reason): throw place.failure(reason)
            }
            // An RTSP source does not signal that all streams are known, but by this frame all have started.
            if place.isLive, tracks.values.contains(where: { $0.samples >= framesToRead }) { ended = true }
            if ended || (knowsAll && tracks.values.allSatisfy { $0.isKnown(enough: framesToRead) }) {
                break
            }
        }
        try Task.checkCancellation()
        return try contents(of: tracks, place)
    }

    private static func contents(of tracks: [String: Track], _ place: MediaURL) throws -> FileContents {
        var contents = FileContents()
        for (_, track) in tracks.sorted(by: { $0.key < $1.key }) {
            // A track without samples would block a pipeline forever.
            guard let caps = track.caps, track.samples > 0 else { continue }
            let stream = FileContents.Stream(
                caps: caps,
                isReordered: track.isReordered,
                orientation: track.orientation
            )
            // A stream of JPEG frames is video, as from a camera; a single JPEG is a photograph.
            let isMotion = caps.mediaType == "image/jpeg" && track.samples > 1
            if isMotion || caps.mediaType.hasPrefix("video/"), contents.video == nil {
                contents.video = stream
            }
            if caps.mediaType.hasPrefix("audio/"), contents.audio == nil { contents.audio = stream }
        }
        guard contents.video != nil || contents.audio != nil else {
            throw MediaFailure.source(
                message: "\(place.name) contains neither video nor audio",
                hint: "give an MP4, MKV or WebM file, or use --source test"
            )
        }
        return contents
    }
}
