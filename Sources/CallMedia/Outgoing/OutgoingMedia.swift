internal import Basics
internal import CallCore
internal import GStreamerKit
internal import MediaKit

/// The outgoing streams, encoded at most once per negotiated format and shared by attempts.
@MediaActor
final class OutgoingMedia {
    private let source: any LocalSource
    private let library: PipelineLibrary
    private let encoders: EncoderSelection
    private let scope: MediaScope
    /// The target bit rate of encoded video in bits per second; it remains set while no video is encoded.
    private(set) var bitrate: Int
    private let failures: AsyncStream<MediaFailure>.Continuation
    /// The resolution above which a track is not decoded, and so cannot be re-encoded.
    private let decodingLimit: DecodingLimit
    private let meter: AudioMeter
    private var streams: [Key: OutgoingStream] = [:]
    /// The media kinds that are muted or switched off.
    private(set) var closed: Set<MediaKind>

    private struct Key: Hashable {
        var codec: Codec
        /// The encoding; nil if the stream is passed through.
        var encoding: Encoding?
    }

    private struct Encoding: Hashable {
        /// The name of the encoder template.
        var name: String
        var limit: H264Level.Demand?
        var opus: OpusFormat?
    }

    private static let audioBitrate = 96_000

    /// Creates the outgoing media of `source`.
    ///
    /// - Parameters:
    ///   - source: provides the tracks.
    ///   - library: contains the pipeline templates.
    ///   - encoders: chooses the encoder templates.
    ///   - scope: the kinds of media that may be sent, and whether any is sent at all.
    ///   - bitrate: the initial bit rate of video in bits per second.
    ///   - closed: the kinds that are muted or switched off at first.
    ///   - decodingLimit: the maximum resolution of a track that must be re-encoded.
    ///   - meter: measures the audio that is encoded.
    ///   - failures: receives failures of encoders.
    init(
        source: any LocalSource,
        library: PipelineLibrary,
        encoders: EncoderSelection,
        scope: MediaScope,
        bitrate: Int,
        closed: Set<MediaKind>,
        decodingLimit: DecodingLimit = .standard,
        meter: AudioMeter = AudioMeter(),
        failures: AsyncStream<MediaFailure>.Continuation
    ) {
        self.source = source
        self.closed = closed
        self.library = library
        self.encoders = encoders
        self.scope = scope
        self.bitrate = bitrate
        (self.decodingLimit, self.meter) = (decodingLimit, meter)
        self.failures = failures
    }

    /// The tracks that may be sent.
    var tracks: [SourceTrack] {
        scope.sends ? source.tracks.filter { scope.kinds.contains($0.kind) } : []
    }

    /// Returns whether a track of this kind may be sent.
    func has(_ kind: MediaKind) -> Bool { tracks.contains { $0.kind == kind } }

    /// The audio level since the last access, in dBov; nil if no audio was encoded, −127 while audio is
    /// muted.
    ///
    /// It is to be read once a second.
    var audioLevel: Double? {
        let level = meter.read()
        return closed.contains(.audio) ? AudioLevel.silence : level
    }

    /// Whether no stream is in use.
    var isIdle: Bool { streams.isEmpty }

    /// The codecs in which the source delivers encoded tracks; the value describes an H.264 stream and is nil
    /// for other codecs.
    var passthrough: [Codec: H264Stream?] {
        var ready: [Codec: H264Stream?] = [:]
        for track in tracks { if let codec = track.passthroughCodec { ready[codec] = track.h264 } }
        return ready
    }

    /// Returns the codec in which video is encoded for a peer that supports all of `codecs`; nil for
    /// passthrough or no video.
    func codecToEncode(of codecs: [Codec]) -> Codec? {
        guard let track = tracks.first(where: { $0.kind == .video }), track.passthroughCodec == nil else {
            return nil
        }
        return codecs.first { $0.kind == .video }
    }

    /// The highest H.264 level of the source's tracks, nil if none is known: the level of an encoded stream,
    /// or the level that raw video needs when it is encoded.
    var level: H264Level? { tracks.compactMap(\.level).max() }

    /// Returns the stream in the negotiated format, and creates it if it does not exist yet.
    ///
    /// - Parameters:
    ///   - choice: the negotiated codec.
    ///   - encoding: whether to encode even if the source delivers the codec.
    /// - Returns: the stream; nil if the source has no track of this kind.
    /// - Throws: `MediaFailure`, or `GStreamerError` if no encoder can be created.
    func stream(for choice: CodecPlan.Choice, encoding: Bool = false) async throws -> OutgoingStream? {
        guard let track = tracks.first(where: { $0.kind == choice.codec.kind }) else { return nil }
        var key = Key(codec: choice.codec)
        if encoding || track.passthroughCodec != choice.codec || !CodecPlan.accepts(choice, track.h264) {
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
                decodingLimit: decodingLimit,
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

    /// Sets the bit rate of encoded video in bits per second.
    func setBitrate(_ bitrate: Int) {
        self.bitrate = bitrate
        for stream in streams.values where stream.kind == .video { stream.setBitrate(bitrate) }
    }

    /// Passes the share of lost packets, from 0 to 1, to audio encoders.
    func setLoss(_ loss: Double) {
        for stream in streams.values where stream.kind == .audio { stream.setLoss(loss) }
    }

    /// The frame size of encoded video before `setResolution` is applied; nil without an encoder or before
    /// the first frame.
    var encodedResolution: (width: Int, height: Int)? {
        streams.values.lazy.compactMap(\.encodedResolution).first
    }

    /// Scales the resolution and frame rate of encoded video.
    func setResolution(_ rung: ResolutionLadder.Rung) {
        for stream in streams.values where stream.kind == .video { stream.setResolution(rung) }
    }

    /// Mutes or unmutes the microphone, or switches the camera off or on, for current and later attempts.
    func setClosed(_ isClosed: Bool, _ kind: MediaKind) {
        if isClosed { closed.insert(kind) } else { closed.remove(kind) }
        for stream in streams.values where stream.kind == kind { stream.setClosed(isClosed) }
    }

    /// Closes all streams except `used`, the streams that attempts still use.
    func keepOnly(_ used: [OutgoingStream]) async {
        let unused = streams.filter { stream in !used.contains { $0 === stream.value } }
        for key in unused.keys { streams[key] = nil }
        // While a stream closes, an attempt may request streams; the unused ones were removed before.
        for stream in unused.values { await stream.close() }
    }

    /// Closes all streams and pauses the source until the next connection is up; called when no attempt sends
    /// media.
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
