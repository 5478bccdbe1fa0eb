internal import CallCore
internal import GStreamerKit

/// Turns a source track into a codec that the peer accepts, while anybody asks for it.
@MediaActor
final class EncoderPipeline {
    nonisolated let hub: SampleHub
    /// The factory of the element that encodes, as in `x264enc`; empty where the description names none.
    nonisolated let elementName: String
    private let pipeline: Pipeline
    private let encoder: Element?
    /// What scales pictures, what says their size, and what leaves some out; descriptions may lack them.
    private let scaler: Element?
    private let size: Element?
    private let pace: Element?
    private let limit: H264Level.Demand?
    /// Bits per second in one unit of the encoder's `bitrate`: its description says in which it is told.
    private let bitrateUnit: Int
    private let attachment: SampleHub.Attachment
    private let listening: SampleHub.Attachment?
    private let bus: BusReader

    /// Begins to encode, at `bitrate` bits per second; `failures` hears of what breaks later.
    ///
    /// - Parameters:
    ///   - track: what is encoded, decoded before where it is encoded already.
    ///   - name: of the description below `encoders/`.
    ///   - bitrate: what the encoder starts with.
    ///   - limit: what pictures are shrunk to; nil for none.
    ///   - opus: what the peer's decoder makes use of; nil leaves an encoder as its description has it.
    ///   - library: holds the description.
    ///   - meter: hears the sound before it is encoded.
    ///   - failures: hears of what breaks once it runs.
    /// - Throws: `MediaFailure`, or `GStreamerError` where an element is missing.
    init(
        _ track: SourceTrack,
        with name: String,
        bitrate: Int,
        limit: H264Level.Demand? = nil,
        opus: OpusFormat? = nil,
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
                message: "the description lacks an appsrc “source” or an appsink “output”"
            )
        }
        bus = BusReader(pipeline) { failures.yield($0) }
        encoder = pipeline.element(named: "encoder")
        elementName = encoder?.factoryName ?? ""
        if let opus, let encoder {
            if encoder.has("inband-fec") { encoder.set("inband-fec", opus.usesInbandFEC) }
            if encoder.has("dtx") { encoder.set("dtx", opus.usesDTX) }
        }
        (scaler, size) = (pipeline.element(named: "scaler"), pipeline.element(named: "size"))
        pace = pipeline.element(named: "pace")
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

    /// Asks for a keyframe now; safe from any thread.
    nonisolated func makeKeyframe() { encoder?.pad("src")?.sendForceKeyUnit() }

    /// Encodes at this many bits per second from now on; safe from any thread.
    nonisolated func setBitrate(_ bitrate: Int) {
        guard let encoder else { return }
        if encoder.has("target-bitrate") {
            encoder.set("target-bitrate", bitrate)
        } else if encoder.has("bitrate") {
            encoder.set("bitrate", max(1, bitrate / bitrateUnit))
        }
    }

    /// Adds what makes up for this share of lost packets, from 0 to 1, where the codec can; safe from any thread.
    nonisolated func setLoss(_ loss: Double) {
        guard let encoder, encoder.has("packet-loss-percentage") else { return }
        encoder.set("packet-loss-percentage", Int((loss * 100).rounded(.up)))
    }

    /// What a number or switch of the encoder is set to; nil where it has none of this name.
    nonisolated func setting(_ name: String) -> Int? {
        encoder.flatMap { $0.has(name) ? $0.int(name) : nil }
    }

    /// The size of whole pictures, within the limit; nil before the first one, and for sound.
    nonisolated var picture: (width: Int, height: Int)? {
        guard let caps = scaler?.pad("sink")?.caps, let mode = VideoMode(caps) else { return nil }
        let whole = limit.map { mode.shrunk(to: $0) } ?? mode
        return (whole.width, whole.height)
    }

    /// Encodes pictures of this share of the whole, this share of them; safe from any thread.
    nonisolated func setPicture(_ rung: ResolutionLadder.Rung) {
        guard let picture else { return }
        // Chroma planes are halves.
        let even = { (length: Int) in max(16, Int(Double(length) * rung.scale) / 2 * 2) }
        let caps = "video/x-raw,format=I420,width=\(even(picture.width)),height=\(even(picture.height))"
        size?.set("caps", parsing: caps)
        pace?.set("max-rate", rung.pace < 1 ? max(1, Int(30 * rung.pace)) : Int(Int32.max))
    }

    func close() async {
        attachment.detach()
        listening?.detach()
        try? pipeline.setState(.null)
        await bus.close()
    }
}
