package import Basics
package import GStreamerKit

/// Decodes video and passes the frames to a `VideoSink`, such as a window.
@MediaActor
package final class VideoRenderer: MediaDecoder {
    private let pipeline: Pipeline
    private let attachment: SampleHub.Attachment
    private let bus: BusReader

    /// Starts to show the video of `hub` in `sink`.
    ///
    /// - Parameters:
    ///   - side: whether the video is our own or the peer's.
    ///   - hub: the encoded video.
    ///   - playout: the due times of frames; nil shows each frame immediately.
    ///   - gate: withholds frames that may not be decoded; nil to decode all frames.
    ///   - limit: the maximum resolution of video to decode, if there is no gate.
    ///   - sink: receives the frames.
    ///   - library: contains the pipeline templates.
    ///   - onError: receives a failure that ends the rendering.
    ///   - onFrame: called for each frame on the streaming thread.
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    package init(
        _ side: MediaSide,
        of hub: SampleHub,
        at playout: Playout? = nil,
        through gate: GatedStream? = nil,
        within limit: DecodingLimit = .standard,
        in sink: any VideoSink,
        library: PipelineLibrary,
        onError: @escaping @Sendable (MediaFailure) -> Void,
        onFrame: @escaping @Sendable () -> Void = {}
    ) throws {
        let template = side == .local ? "viewers/preview" : "viewers/video"
        let decoding = try DecodingPipeline(template, from: library, name: "viewer-\(side)")
        _ = decoding.output.attach { sample in
            if let frame = VideoFrame(sample) { sink.show(frame, from: side) }
            onFrame()
        }
        let input = decoding.input
        pipeline = decoding.pipeline
        if gate == nil { pipeline.limitDecoding(to: limit, refused: onError) }
        bus = BusReader(pipeline, onError: onError)
        try pipeline.setState(.playing)
        attachment = hub.attach(fromKeyframe: true) { sample in
            guard let sample = gate.map({ $0.passing(sample) }) ?? sample else { return }
            input.push(playout?.timed(sample, now: MediaClock.shared.now) ?? sample)
        }
    }

    package func close() async {
        attachment.detach()
        try? pipeline.setState(.null)
        await bus.close()
    }
}
