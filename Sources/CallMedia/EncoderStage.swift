internal import CallCore
internal import GStreamerKit

/// Turns a source track into a codec that the peer accepts, while anybody asks for it.
@MediaActor
final class EncoderStage {
    nonisolated let hub: SampleHub
    /// The factory of the element that encodes, as in `x264enc`; empty where the description names none.
    nonisolated let elementName: String
    private let pipeline: Pipeline
    private let encoder: Element?
    private let attachment: SampleHub.Attachment
    private let bus: BusReader

    /// Begins to encode, at `bitrate` bits per second; `failures` hears of what breaks later.
    ///
    /// - Parameters:
    ///   - track: what is encoded, decoded before where it is encoded already.
    ///   - name: of the description below `encoders/`.
    ///   - bitrate: what the encoder starts with.
    ///   - limit: what pictures are shrunk to; nil for none.
    ///   - library: holds the description.
    ///   - failures: hears of what breaks once it runs.
    /// - Throws: `MediaFailure`, or `GStreamerError` where an element is missing.
    init(
        _ track: SourceTrack,
        with name: String,
        bitrate: Int,
        limit: H264Level.Demand? = nil,
        library: PipelineLibrary,
        failures: AsyncStream<MediaFailure>.Continuation
    ) throws {
        let name = "encoders/\(name)"
        let description = try library.description(
            name,
            ["kbps": "\(bitrate / 1000)", "bps": "\(bitrate)"]
        )
        pipeline = try Pipeline(parsing: description, name: "encoder")
        guard let source = pipeline.element(named: "source"), let sink = pipeline.element(named: "output")
        else {
            throw MediaFailure.pipeline(
                element: name,
                message: "the description lacks an appsrc “source” or an appsink “output”"
            )
        }
        bus = BusReader(pipeline) { failures.yield($0) }
        encoder = pipeline.element(named: "encoder")
        elementName = encoder?.factoryName ?? ""
        hub = AppSink(sink).hub
        let input = AppSource(source)
        let limiter = PictureLimiter(limit, filter: pipeline.element(named: "size"))
        attachment = track.hub.attach(fromKeyframe: track.passthroughCodec != nil) {
            limiter?.follow($0.caps)
            input.push($0)
        }
        do { try pipeline.setState(.playing) } catch {
            attachment.detach()
            throw error
        }
    }

    /// Asks for a keyframe now; safe from any thread.
    nonisolated func makeKeyframe() { encoder?.pad("src")?.sendForceKeyUnit() }

    func close() async {
        attachment.detach()
        try? pipeline.setState(.null)
        await bus.close()
    }
}
