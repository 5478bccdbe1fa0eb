internal import Basics
internal import GStreamerKit
internal import LiveCore
internal import MediaKit
internal import Synchronization

/// The pipeline that encodes the tracks of a source, or passes H.264 on, for publication.
@MediaActor
struct PublishedMedia {
    private let pipeline: PublishPipeline
    private let attachments: [SampleHub.Attachment]

    /// Begins to add the media of the tracks to the queue.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        _ tracks: [SourceTrack],
        from library: PipelineLibrary,
        into queue: PublishQueue,
        onError: @escaping @Sendable (MediaFailure) -> Void
    ) throws {
        let texts = try tracks.map { track in
            let isPassedOn = track.passthroughCodec == .h264
            let name = isPassedOn ? "publish/h264" : "publish/\(track.kind)"
            return try library.description(name, ["framerate": "\(track.frameRate)"])
        }
        let clock = PublishClock()
        let openTracks = TrackCount(tracks.count)
        let outputs = tracks.map { track in
            let converter = SampleConverter(clock: clock, isVideo: track.kind == .video)
            return PublishPipeline.Output(
                name: "\(track.kind)-out",
                add: { sample in for item in converter.items(of: sample) { queue.add(item) } },
                ended: { if openTracks.removeOne() { queue.finish() } }
            )
        }
        let pipeline = try PublishPipeline(
            parsing: texts.joined(separator: "\n"),
            inputs: tracks.map(\.kind.rawValue),
            outputs: outputs,
            within: .standard,
            onError: onError
        )
        attachments = tracks.compactMap { track in
            pipeline.attach(track.hub, to: track.kind.rawValue, fromKeyframe: track.kind == .video)
        }
        self.pipeline = pipeline
    }

    /// Ends the tracks; the queue is finished when all that was encoded has been added.
    func finish() { pipeline.endOfStream() }

    func close() async {
        for attachment in attachments { attachment.detach() }
        await pipeline.close()
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
