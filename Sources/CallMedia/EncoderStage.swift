internal import CallCore
internal import GStreamerKit

/// Turns a source track into a codec that the peer accepts, while anybody asks for it.
@MediaActor
final class EncoderStage {
    nonisolated let hub: SampleHub
    private let pipeline: Pipeline
    private let encoder: Element?
    private let attachment: SampleHub.Attachment
    private let listening: SampleHub.Attachment?
    private let bus: BusReader

    /// Begins to encode, at `bitrate` bits per second; `failures` hears of what breaks later, `meter` the sound.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError` where an element is missing.
    init(
        _ track: SourceTrack,
        to codec: Codec,
        bitrate: Int,
        library: PipelineLibrary,
        meter: SoundMeter? = nil,
        failures: AsyncStream<MediaFailure>.Continuation
    ) throws {
        let name = "encoders/\(codec.pipelineName)"
        let description = try library.description(
            name,
            ["kbps": "\(bitrate / 1000)", "bps": "\(bitrate)"]
        )
        pipeline = try Pipeline(parsing: description, name: "encoder-\(codec.pipelineName)")
        guard let source = pipeline.element(named: "source"), let sink = pipeline.element(named: "output")
        else {
            throw MediaFailure.pipeline(
                element: name,
                message: "the description lacks an appsrc “source” or an appsink “output”"
            )
        }
        bus = BusReader(pipeline) { failures.yield($0) }
        encoder = pipeline.element(named: "encoder")
        hub = AppSink(sink).hub
        let input = AppSource(source)
        attachment = track.hub.attach(fromKeyframe: track.passthroughCodec != nil) { input.push($0) }
        listening = track.kind == .audio ? meter.map { meter in track.hub.attach { meter.hear($0) } } : nil
        do { try pipeline.setState(.playing) } catch {
            attachment.detach()
            listening?.detach()
            throw error
        }
    }

    /// Asks for a keyframe now; safe from any thread.
    nonisolated func makeKeyframe() { encoder?.pad("src")?.sendForceKeyUnit() }

    func close() async {
        attachment.detach()
        listening?.detach()
        try? pipeline.setState(.null)
        await bus.close()
    }
}
