internal import Basics
internal import GStreamerKit
internal import LiveCore
internal import MediaKit
internal import Synchronization

/// The pipeline that encodes the tracks of a source, or passes H.264 on, for publication.
@MediaActor
struct PublishedMedia {
    private let pipeline: Pipeline
    private let inputs: [AppSource]
    private let attachments: [SampleHub.Attachment]
    private let bus: BusReader

    /// Begins to add the media of the tracks to the queue.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        _ tracks: [SourceTrack],
        from library: PipelineLibrary,
        into queue: PublishQueue,
        onError: @escaping @Sendable (MediaFailure) -> Void
    ) throws {
        var texts: [String] = []
        for track in tracks {
            let isPassedOn = track.passthroughCodec == .h264
            let name = isPassedOn ? "publish/h264" : "publish/\(track.kind)"
            texts.append(try library.description(name, ["framerate": "\(track.frameRate)"]))
        }
        let pipeline = try Pipeline(parsing: texts.joined(separator: "\n"), name: "publisher")
        let clock = PublishClock()
        let openTracks = TrackCount(tracks.count)
        for track in tracks {
            guard let sink = pipeline.element(named: "\(track.kind)-out") else {
                throw MediaFailure.pipeline(
                    element: "publish/\(track.kind)",
                    message: "it lacks “\(track.kind)-out”"
                )
            }
            for (property, value) in [("sync", false), ("async", false)] { sink.set(property, value) }
            let converter = SampleConverter(clock: clock, isVideo: track.kind == .video)
            let output = AppSink(
                sink,
                ended: {
                    if openTracks.removeOne() { queue.finish() }
                }
            )
            _ = output.hub.attach { sample in
                for item in converter.items(of: sample) { queue.add(item) }
            }
        }
        self.pipeline = pipeline
        pipeline.limitDecoding(to: .standard, refused: onError)
        bus = BusReader(pipeline, onError: onError)
        try pipeline.setState(.playing)
        let sources = tracks.map { track in
            (track, pipeline.element(named: track.kind.rawValue).map { AppSource($0) })
        }
        inputs = sources.compactMap(\.1)
        attachments = sources.compactMap { track, input in
            input.map { input in
                track.hub.attach(fromKeyframe: track.kind == .video) { input.push($0) }
            }
        }
    }

    /// Ends the tracks; the queue is finished when all that was encoded has been added.
    func finish() { for input in inputs { input.endOfStream() } }

    func close() async {
        for attachment in attachments { attachment.detach() }
        try? pipeline.setState(.null)
        await bus.close()
    }
}

/// The number of tracks that have not ended.
private final class TrackCount: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    /// Removes a track; returns whether it was the last one.
    func removeOne() -> Bool {
        count.withLock { count in
            count -= 1
            return count == 0
        }
    }
}
