internal import Basics
internal import GStreamerKit
internal import LiveCore
internal import MediaKit

/// The pipeline that muxes the tracks of a source into segments.
@MediaActor
struct Packaging {
    private let pipeline: Pipeline
    private let attachments: [SampleHub.Attachment]
    private let bus: BusReader

    /// Starts to package the tracks.
    ///
    /// - Throws: `LiveFailure` if there is no video, `MediaFailure`, or `GStreamerError`.
    init(
        _ tracks: [SourceTrack],
        every segment: Duration,
        from library: PipelineLibrary,
        into collector: SegmentCollector,
        onError: @escaping @Sendable (MediaFailure) -> Void
    ) throws {
        guard tracks.contains(where: { $0.kind == .video }) else {
            throw LiveFailure(
                .unsupported,
                "it has no video, and a live stream without video is not supported"
            )
        }
        let length = UInt64(clamping: Int64(segment / .nanoseconds(1)))
        var text = try library.description("live/packager", ["duration": "\(length)"])
        for track in tracks {
            let isPassedOn = track.passthroughCodec == .h264
            text += "\n" + (try library.description(isPassedOn ? "live/h264" : "live/\(track.kind)"))
        }
        let pipeline = try Pipeline(parsing: text, name: "packager")
        guard let packager = pipeline.element(named: "packager"), let sink = packager.element(in: "sink")
        else {
            throw MediaFailure.pipeline(element: "live/packager", message: "it lacks “packager” or its sink")
        }
        for (property, value) in [("sync", false), ("async", false)] { sink.set(property, value) }
        _ = AppSink(sink, ended: { collector.end() }).hub.attach { collector.add($0) }
        self.pipeline = pipeline
        bus = BusReader(pipeline, onError: onError)
        try pipeline.setState(.playing)
        attachments = tracks.compactMap { track in
            guard let input = pipeline.element(named: track.kind.rawValue).map({ AppSource($0) }) else {
                return nil
            }
            return track.hub.attach(fromKeyframe: track.kind == .video) { sample in
                if track.kind == .video, sample.isKeyframe, let time = sample.presentationTime {
                    collector.keyframe(at: time)
                }
                input.push(sample)
            }
        }
    }

    func close() async {
        for attachment in attachments { attachment.detach() }
        try? pipeline.setState(.null)
        await bus.close()
    }
}
