internal import CallCore
internal import GStreamerKit

/// The streams that go out, encoded at most once per codec, across attempts.
@MediaActor
final class Outbox {
    private let source: any LocalSource
    private let library: PipelineLibrary
    private let bitrate: Int
    private let failures: AsyncStream<MediaFailure>.Continuation
    private let meter: SoundMeter
    private var streams: [Key: OutgoingStream] = [:]
    /// What is muted or covered.
    private(set) var closed: Set<MediaKind>

    private struct Key: Hashable {
        var codec: Codec
        var isPassthrough: Bool
    }

    private static let audioBitrate = 96_000

    /// Sends what `source` has; video encoders start at `bitrate` bits per second.
    ///
    /// `closed` is muted or covered from the beginning; `failures` hears of encoders that break, `meter`
    /// the sound that is encoded.
    init(
        source: any LocalSource,
        library: PipelineLibrary,
        bitrate: Int,
        closed: Set<MediaKind>,
        meter: SoundMeter = SoundMeter(),
        failures: AsyncStream<MediaFailure>.Continuation
    ) {
        self.source = source
        self.closed = closed
        self.library = library
        self.bitrate = bitrate
        self.meter = meter
        self.failures = failures
    }

    /// Whether the source has anything of this kind.
    func has(_ kind: MediaKind) -> Bool { source.tracks.contains { $0.kind == kind } }

    /// The last second of what is said, in dBov; nil where it leaves its file as it is.
    var soundLevel: Double? {
        let level = meter.read()
        return closed.contains(.audio) ? SoundLevel.silence : level
    }

    /// Whether nobody gets anything.
    var isIdle: Bool { streams.isEmpty }

    /// What needs no encoder, for the choice of codecs.
    var passthrough: [Codec: H264Profile?] {
        var ready: [Codec: H264Profile?] = [:]
        for track in source.tracks { if let codec = track.passthroughCodec { ready[codec] = track.profile } }
        return ready
    }

    /// The source's stream of the choice's kind in the form that the peer accepts.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError` where no encoder can be made.
    func stream(for choice: CodecPlan.Choice) throws -> OutgoingStream? {
        guard let track = source.tracks.first(where: { $0.kind == choice.codec.kind }) else { return nil }
        let isReady =
            track.passthroughCodec == choice.codec && CodecPlan.decodes(choice.profile, track.profile)
        let key = Key(codec: choice.codec, isPassthrough: isReady)
        if let known = streams[key] { return known }
        let stream: OutgoingStream
        if isReady {
            stream = OutgoingStream(kind: track.kind, codec: choice.codec, from: track.hub, encoder: nil)
        } else {
            let encoder = try EncoderStage(
                track,
                to: choice.codec,
                bitrate: choice.codec.kind == .video ? bitrate : Self.audioBitrate,
                library: library,
                meter: meter,
                failures: failures
            )
            stream = OutgoingStream(
                kind: track.kind,
                codec: choice.codec,
                from: encoder.hub,
                encoder: encoder
            )
        }
        stream.setClosed(closed.contains(track.kind))
        streams[key] = stream
        return stream
    }

    /// Mutes the microphone or covers the camera, in this and all further attempts.
    func setClosed(_ isClosed: Bool, _ kind: MediaKind) {
        if isClosed { closed.insert(kind) } else { closed.remove(kind) }
        for stream in streams.values where stream.kind == kind { stream.setClosed(isClosed) }
    }

    /// Stops encoding what no attempt sends any more.
    func keepOnly(_ used: [OutgoingStream]) async {
        let unused = streams.filter { stream in !used.contains { $0 === stream.value } }
        for key in unused.keys { streams[key] = nil }
        for stream in unused.values { await stream.close() }  // meanwhile another attempt may ask for some
    }

    /// Holds the source still until a connection is up, because nobody gets anything.
    func rest() async {
        source.rest()
        await keepOnly([])
    }

    func connectionIsUp() throws {
        try source.connectionIsUp()
        for stream in streams.values { stream.makeKeyframe() }
    }

    func close() async {
        await keepOnly([])
        await source.close()
    }
}
