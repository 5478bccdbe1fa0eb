internal import CallCore
internal import GStreamerKit

/// Decodes one stream for somebody who looks or listens; exists only while somebody does.
@MediaActor
final class ViewerStage {
    private let pipeline: Pipeline
    private let attachment: SampleHub.Attachment

    /// Shows pictures of `hub`; `onFrame` is called for each, on the streaming thread.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        _ picture: Picture,
        of hub: SampleHub,
        in sink: any VideoSink,
        library: PipelineLibrary,
        onFrame: @escaping @Sendable () -> Void = {}
    ) throws {
        let name = picture == .local ? "viewers/preview" : "viewers/video"
        let pipeline = try Pipeline(parsing: library.description(name), name: "viewer-\(picture)")
        guard let source = pipeline.element(named: "source"), let output = pipeline.element(named: "output")
        else {
            throw MediaFailure.pipeline(element: name, message: "it lacks “source” or “output”")
        }
        let pictures = AppSink(output).hub
        _ = pictures.attach { sample in
            Self.show(sample, of: picture, in: sink)
            onFrame()
        }
        let input = AppSource(source)
        attachment = hub.attach(fromKeyframe: true) { input.push($0) }
        try pipeline.setState(.playing)
        self.pipeline = pipeline
    }

    /// Plays the sound of `hub`.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(playing hub: SampleHub, library: PipelineLibrary) throws {
        let pipeline = try Pipeline(parsing: library.description("viewers/audio"), name: "speaker")
        guard let source = pipeline.element(named: "source") else {
            throw MediaFailure.pipeline(element: "viewers/audio", message: "it lacks an appsrc “source”")
        }
        let input = AppSource(source)
        attachment = hub.attach { input.push($0) }
        try pipeline.setState(.playing)
        self.pipeline = pipeline
    }

    func close() {
        attachment.detach()
        try? pipeline.setState(.null)
    }

    private nonisolated static func show(
        _ sample: MediaSample,
        of picture: Picture,
        in sink: any VideoSink
    ) {
        _ = sample.withPicture { map in
            let (y, u, v) = (map.plane(0), map.plane(1), map.plane(2))
            let frame = VideoFrame(
                width: map.width,
                height: map.height,
                y: y.bytes,
                u: u.bytes,
                v: v.bytes,
                yStride: y.stride,
                uStride: u.stride,
                vStride: v.stride
            )
            sink.show(frame, from: picture)
        }
    }
}
