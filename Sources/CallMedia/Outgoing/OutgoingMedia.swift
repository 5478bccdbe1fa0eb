internal import CallCore
internal import GStreamerKit

/// The streams that go out, encoded at most once per codec, across attempts.
@MediaActor
final class OutgoingMedia {
    private let source: any LocalSource
    private let library: PipelineLibrary
    private let encoders: EncoderSelection
    private let scope: MediaScope
    /// Bits per second that pictures are encoded at, or would be.
    private(set) var bitrate: Int
    private let failures: AsyncStream<MediaFailure>.Continuation
    private let meter: AudioMeter
    private var streams: [Key: OutgoingStream] = [:]
    /// What is muted or covered.
    private(set) var closed: Set<MediaKind>

    private struct Key: Hashable {
        var codec: Codec
        /// Nil where it passes through.
        var encoding: Encoding?
    }

    private struct Encoding: Hashable {
        /// The description's.
        var name: String
        var limit: H264Level.Demand?
        var opus: OpusFormat?
    }

    private static let audioBitrate = 96_000

    /// Sends what `source` has within `scope`; video encoders start at `bitrate` bits per second.
    ///
    /// `closed` is muted or covered from the beginning; `failures` hears of encoders that break, `meter`
    /// the sound that is encoded.
    init(
        source: any LocalSource,
        library: PipelineLibrary,
        encoders: EncoderSelection,
        scope: MediaScope,
        bitrate: Int,
        closed: Set<MediaKind>,
        meter: AudioMeter = AudioMeter(),
        failures: AsyncStream<MediaFailure>.Continuation
    ) {
        self.source = source
        self.closed = closed
        self.library = library
        self.encoders = encoders
        self.scope = scope
        self.bitrate = bitrate
        self.meter = meter
        self.failures = failures
    }

    /// What may go out.
    var tracks: [SourceTrack] {
        scope.sends ? source.tracks.filter { scope.kinds.contains($0.kind) } : []
    }

    /// Whether anything of this kind may go out.
    func has(_ kind: MediaKind) -> Bool { tracks.contains { $0.kind == kind } }

    /// The last second of what is said, in dBov; nil where it leaves its file as it is.
    var audioLevel: Double? {
        let level = meter.read()
        return closed.contains(.audio) ? AudioLevel.silence : level
    }

    /// Whether nobody gets anything.
    var isIdle: Bool { streams.isEmpty }

    /// What needs no encoder, for the choice of codecs.
    var passthrough: [Codec: H264Stream?] {
        var ready: [Codec: H264Stream?] = [:]
        for track in tracks { if let codec = track.passthroughCodec { ready[codec] = track.h264 } }
        return ready
    }

    /// What pictures are encoded to where the peer knows every codec; nil where they pass through, or do not go out.
    func codecToEncode(of codecs: [Codec]) -> Codec? {
        guard let track = tracks.first(where: { $0.kind == .video }), track.passthroughCodec == nil else {
            return nil
        }
        return codecs.first { $0.kind == .video }
    }

    /// The highest level of H.264 that the source's pictures have, or have once they are encoded.
    var level: H264Level? { tracks.compactMap(\.level).max() }

    /// The source's stream of the choice's kind in the form that the peer accepts.
    ///
    /// - Parameters:
    ///   - choice: what the peer accepts.
    ///   - encoding: encodes anew even what the source has ready.
    /// - Returns: nil where the source has none of this kind.
    /// - Throws: `MediaFailure`, or `GStreamerError` where no encoder can be made.
    func stream(for choice: CodecPlan.Choice, encoding: Bool = false) async throws -> OutgoingStream? {
        guard let track = tracks.first(where: { $0.kind == choice.codec.kind }) else { return nil }
        var key = Key(codec: choice.codec)
        if encoding || track.passthroughCodec != choice.codec || !CodecPlan.takes(choice, track.h264) {
            key.encoding = Encoding(
                name: await encoders.description(for: choice),
                limit: choice.limit,
                opus: choice.opus
            )
        }
        if let known = streams[key] { return known }
        let encoder = try key.encoding.map { encoding in
            try EncoderPipeline(
                track,
                with: encoding.name,
                bitrate: track.kind == .video ? bitrate : Self.audioBitrate,
                limit: encoding.limit,
                opus: encoding.opus,
                library: library,
                meter: meter,
                failures: failures
            )
        }
        let stream = OutgoingStream(
            kind: track.kind,
            codec: choice.codec,
            payloader: encoder == nil ? nil : choice.pipelineName,
            from: encoder?.hub ?? track.hub,
            encoder: encoder
        )
        stream.setClosed(closed.contains(track.kind))
        streams[key] = stream
        return stream
    }

    /// Encodes pictures at this many bits per second from now on.
    func setBitrate(_ bitrate: Int) {
        self.bitrate = bitrate
        for stream in streams.values where stream.kind == .video { stream.setBitrate(bitrate) }
    }

    /// Tells encoders of sound what share of packets is lost, from 0 to 1.
    func setLoss(_ loss: Double) {
        for stream in streams.values where stream.kind == .audio { stream.setLoss(loss) }
    }

    /// The whole size of the pictures that are encoded; nil where none are, or not yet.
    var encodedPicture: (width: Int, height: Int)? {
        streams.values.lazy.compactMap(\.encodedPicture).first
    }

    /// Encodes smaller or fewer pictures from now on.
    func setPicture(_ rung: ResolutionLadder.Rung) {
        for stream in streams.values where stream.kind == .video { stream.setPicture(rung) }
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
