package import Basics
package import GStreamerKit

/// Encodes a source track in a codec that the peer accepts.
///
/// Encoding starts in the initializer and ends in `close()`.
@MediaActor
package final class EncoderPipeline {
    package nonisolated let hub: SampleHub
    /// The factory name of the encoder element, such as `x264enc`; empty if no element is named `encoder`.
    package nonisolated let elementName: String
    private let pipeline: Pipeline
    private let encoder: Element?
    /// The element that scales frames; the elements `size` and `pace` set the frame size and the frame rate.
    ///
    /// Each of them is nil if the template lacks it.
    private let scaler: Element?
    private let size: Element?
    private let pace: Element?
    private let limit: H264Level.Demand?
    /// The unit of the encoder's property `bitrate`: 1 or 1000 bits per second, depending on the value that
    /// the template sets.
    private let bitrateUnit: Int
    /// The assumed duration of a frame without a duration, in nanoseconds.
    private static let frameDuration: UInt64 = 33_333_333
    private let attachment: SampleHub.Attachment
    private let listening: SampleHub.Attachment?
    private let bus: BusReader

    /// Starts encoding at `bitrate` bits per second.
    ///
    /// - Parameters:
    ///   - track: the track to encode; a track that is already encoded is decoded first.
    ///   - name: the name of the template below `encoders/`.
    ///   - bitrate: the initial bit rate in bits per second.
    ///   - limit: the H.264 limit that frames are scaled down to; nil for none.
    ///   - opus: the Opus format that the peer accepts; nil keeps the settings of the template.
    ///   - decodingLimit: the maximum resolution of a track that is decoded first.
    ///   - library: contains the template.
    ///   - meter: measures the audio before it is encoded.
    ///   - failures: receives failures that occur while encoding.
    /// - Throws: `MediaFailure`, or `GStreamerError` if an element is missing.
    package init(
        _ track: SourceTrack,
        with name: String,
        bitrate: Int,
        limit: H264Level.Demand? = nil,
        opus: OpusFormat? = nil,
        decodingLimit: DecodingLimit = .standard,
        library: PipelineLibrary,
        meter: AudioMeter? = nil,
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
                message: "the template lacks an appsrc “source” or an appsink “output”"
            )
        }
        bus = BusReader(pipeline) { failures.yield($0) }
        pipeline.limitDecoding(to: decodingLimit) { failures.yield($0) }
        encoder = pipeline.element(named: "encoder")
        elementName = encoder?.factoryName ?? ""
        if let opus, let encoder {
            if encoder.has("inband-fec") { encoder.set("inband-fec", opus.usesInbandFEC) }
            if encoder.has("dtx") { encoder.set("dtx", opus.usesDTX) }
        }
        (scaler, size) = (pipeline.element(named: "scaler"), pipeline.element(named: "size"))
        pace = pipeline.element(named: "pace")
        // videorate ends the process at a frame without a duration, which a film can have.
        pace?.pad("sink")?.fillDurations(with: Self.frameDuration)
        self.limit = limit
        let isInBits = encoder.map { $0.has("bitrate") && $0.int("bitrate") == bitrate } ?? false
        bitrateUnit = isInBits ? 1 : 1000
        hub = AppSink(sink).hub
        let input = AppSource(source)
        let limiter = ResolutionLimiter(limit, filter: size)
        attachment = track.hub.attach(fromKeyframe: track.passthroughCodec != nil) {
            limiter?.follow($0.caps)
            input.push($0)
        }
        listening = track.kind == .audio ? meter.map { meter in track.hub.attach { meter.hear($0) } } : nil
        do { try pipeline.setState(.playing) } catch {
            attachment.detach()
            listening?.detach()
            throw error
        }
    }

    /// Requests a keyframe; safe from any thread.
    package nonisolated func makeKeyframe() { encoder?.pad("src")?.sendForceKeyUnit() }

    /// Sets the bit rate in bits per second; safe from any thread.
    package nonisolated func setBitrate(_ bitrate: Int) {
        guard let encoder else { return }
        if encoder.has("target-bitrate") {
            encoder.set("target-bitrate", bitrate)
        } else if encoder.has("bitrate") {
            encoder.set("bitrate", max(1, bitrate / bitrateUnit))
        }
    }

    /// Sets the expected packet loss, from 0 to 1, if the codec can compensate for it; safe from any thread.
    package nonisolated func setLoss(_ loss: Double) {
        guard let encoder, encoder.has("packet-loss-percentage") else { return }
        encoder.set("packet-loss-percentage", Int((loss * 100).rounded(.up)))
    }

    /// Returns the value of a numeric or Boolean property of the encoder; nil if it has no such property.
    nonisolated func setting(_ name: String) -> Int? {
        encoder.flatMap { $0.has(name) ? $0.int(name) : nil }
    }

    /// The frame size within the H.264 limit, before `reduce` is applied; nil before the first
    /// frame, and for audio.
    package nonisolated var resolution: (width: Int, height: Int)? {
        guard let caps = scaler?.pad("sink")?.caps, let mode = VideoMode(caps) else { return nil }
        let whole = limit.map { mode.shrunk(to: $0) } ?? mode
        return (whole.width, whole.height)
    }

    /// Scales width and height by `scale`, and limits the frame rate to `rate` times 30 per second, or not at
    /// all if `rate` is 1; safe from any thread.
    package nonisolated func reduce(scale: Double, rate: Double) {
        guard let resolution else { return }
        // I420's chroma planes have half the size, so width and height must be even.
        let even = { (length: Int) in max(16, Int(Double(length) * scale) / 2 * 2) }
        let caps = "video/x-raw,format=I420,width=\(even(resolution.width)),height=\(even(resolution.height))"
        size?.set("caps", parsing: caps)
        pace?.set("max-rate", rate < 1 ? max(1, Int(30 * rate)) : Int(Int32.max))
    }

    package func close() async {
        attachment.detach()
        listening?.detach()
        try? pipeline.setState(.null)
        await bus.close()
    }
}
