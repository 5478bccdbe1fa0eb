package import Basics
internal import GStreamerKit
internal import Synchronization

/// The content of a media file, as shown in a list of files.
package struct FilePreview: Sendable {
    /// The duration; nil if the file does not specify it.
    package var duration: Duration?
    /// The first keyframe of the video in a small size; nil without video.
    package var picture: VideoFrame?

    /// The elements that convert H.264 to a byte stream with parameter sets, whose size can be checked.
    private static let converter =
        "h264parse config-interval=-1 ! video/x-h264,stream-format=byte-stream,alignment=au ! appsink name=samples"

    /// The time limit for reading a file, whose disk may be slow.
    private static let timeout = Duration.seconds(5)

    private enum Event: Sendable {
        /// The first keyframe of a video, or the first sample of audio.
        case sample(MediaSample, isVideo: Bool)
        case allPads(hasVideo: Bool)
        case end
        case failed(String)
    }

    /// Reads the beginning of a file, and decodes one keyframe of it.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - area: The maximum size of the picture.
    ///   - library: Contains the pipeline templates.
    ///   - limit: The maximum resolution of video that is decoded. Larger video has no picture, and neither has video
    ///     in a codec that calls do not support.
    /// - Returns: The content.
    /// - Throws: `MediaFailure`, `GStreamerError`, or `CancellationError`.
    @PreviewActor
    package static func read(
        _ path: String,
        inside area: Resolution,
        library: PipelineLibrary,
        limit: DecodingLimit = .standard
    ) async throws -> FilePreview {
        try ContainerCheck.refuse(path)
        let place = MediaURL.file(path)
        let pipeline = try Pipeline(parsing: library.description(place.pipeline), name: "preview")
        place.set(in: pipeline)
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        collect(from: pipeline, into: continuation)
        defer { try? pipeline.setState(.null) }
        try pipeline.setState(.playing)
        let messages = pipeline.messages
        let samples = try await withDeadline(timeout) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await message in messages {
                        switch message {
                        case .error(_, _, let text, _): continuation.yield(.failed(text))
                        case .endOfStream: continuation.yield(.end)
                        default: break
                        }
                    }
                }
                defer { group.cancelAll() }
                return try await first(of: events, in: place)
            }
        }
        guard let samples, samples.video != nil || samples.audio != nil else {
            throw place.failure("it contains neither video nor audio")
        }
        var preview = FilePreview(duration: pipeline.duration.map { .nanoseconds(Int64(clamping: $0)) })
        if let keyframe = samples.video {
            let image = await KeyframeImage(library: library, limit: limit)
            preview.picture = try? await image.frame(of: keyframe, inside: area)
        }
        return preview
    }

    private static func collect(from pipeline: Pipeline, into events: AsyncStream<Event>.Continuation) {
        guard let parser = pipeline.element(named: "parsed") else { return }
        let weak = WeakPipeline(pipeline)
        let hasVideo = Mutex(false)
        parser.onPadAdded { pad in
            let type = pad.caps?.mediaType ?? ""
            let codec = Codec(mediaType: type)
            let isVideo = codec?.kind == .video
            guard isVideo || type.hasPrefix("audio/") || type.hasPrefix("video/"),
                let element = try? codec == .h264 ? Bin.parsing(converter) : Element(factory: "appsink"),
                let sink = codec == .h264 ? (element as? Bin)?.element(named: "samples") : element
            else { return }
            sink.set("sync", false)
            sink.set("async", false)
            if isVideo { hasVideo.withLock { $0 = true } }
            let isOver = Mutex(false)
            _ = AppSink(sink).hub.attach(fromKeyframe: isVideo) { sample in
                let isFirst = isOver.withLock { isOver in
                    defer { isOver = true }
                    return !isOver
                }
                if isFirst { events.yield(.sample(sample, isVideo: isVideo)) }
            }
            weak.append(element, to: pad)
        }
        parser.onNoMorePads { events.yield(.allPads(hasVideo: hasVideo.withLock { $0 })) }
    }

    /// Waits for the first keyframe that can be checked and, without one, for the first sample of audio.
    private static func first(
        of events: AsyncStream<Event>,
        in place: MediaURL
    ) async throws -> (video: MediaSample?, audio: MediaSample?) {
        var (video, audio): (MediaSample?, MediaSample?) = (nil, nil)
        var lacksVideo = false
        for await event in events {
            switch event {
            case .sample(let sample, isVideo: true): video = video ?? sample
            case .sample(let sample, isVideo: false): audio = audio ?? sample
            case .allPads(let hasVideo): lacksVideo = !hasVideo
            case .end: return (video, audio)
            case .failed(let reason): throw place.failure(reason)
            }
            if video != nil || lacksVideo && audio != nil { break }
        }
        return (video, audio)
    }
}
