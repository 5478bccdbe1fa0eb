internal import Basics
internal import GStreamerKit

/// The codec of a recorded track, and the parameters that a container declares only once.
struct StreamCodec: Hashable, Sendable {
    private struct Format: Sendable {
        let name: String
        /// The elements that convert the stream to a form that the container accepts, in gst-launch syntax.
        let parser: String
        var fitsMP4 = true
    }

    /// The GStreamer media type; for MPEG media followed by the MPEG version.
    private let type: String
    private let parameters: [String?]

    /// Finds the codec of a track; nil if the container cannot hold it.
    init?(_ caps: Caps, in container: Container) {
        let isMPEG = caps.mediaType == "audio/mpeg" || caps.mediaType == "video/mpeg"
        let version = isMPEG ? "/\(caps.int("mpegversion") ?? 0)" : ""
        type = caps.mediaType + version
        // The AAC parser of GStreamer 1.22 cannot unpack LOAS.
        guard let format = Self.known[type], format.fitsMP4 || container != .mp4, container != .webm,
            caps.string("stream-format") != "loas"
        else { return nil }
        // Matroska files have the parameters of video in band.
        let fields =
            type.hasPrefix("audio/")
            ? ["rate", "channels", "codec_data"]
            : container == .mp4 ? ["width", "height", "profile", "level", "codec_data"] : []
        parameters = fields.map { caps.text(of: $0) }
    }

    private static let known: [String: Format] = [
        "video/x-h264": Format(name: "H264", parser: "h264parse config-interval=-1"),
        "video/x-h265": Format(name: "H265", parser: "h265parse config-interval=-1"),
        "video/x-vp8": Format(name: "VP8", parser: "identity", fitsMP4: false),
        "video/x-vp9": Format(name: "VP9", parser: "vp9parse"),
        "video/x-av1": Format(name: "AV1", parser: "av1parse"),
        "video/mpeg/2": Format(name: "MPEG2", parser: "mpegvideoparse", fitsMP4: false),
        "video/mpeg/4": Format(name: "MPEG4", parser: "mpeg4videoparse"),
        "audio/mpeg/4": Format(name: "AAC", parser: "aacparse"),
        "audio/mpeg/2": Format(name: "AAC", parser: "aacparse", fitsMP4: false),
        "audio/mpeg/1": Format(name: "MP3", parser: "mpegaudioparse"),
        "audio/x-opus": Format(name: "OPUS", parser: "opusparse"),
        "audio/x-ac3": Format(name: "AC3", parser: "ac3parse"),
        "audio/x-eac3": Format(name: "EAC3", parser: "ac3parse", fitsMP4: false),
        "audio/x-vorbis": Format(name: "VORBIS", parser: "identity", fitsMP4: false),
        "audio/x-flac": Format(name: "FLAC", parser: "flacparse", fitsMP4: false),
    ]

    var name: String { Self.known[type]?.name ?? type }

    /// Returns the elements that convert the stream to a form that the container accepts, in gst-launch syntax.
    ///
    /// MP4 needs decoding times, which are added unless the samples already have them (`isOrdered`).
    func parser(for container: Container, isOrdered: Bool) -> String {
        let parser = Self.known[type]?.parser ?? "identity"
        let timed = isOrdered ? parser : "\(parser) ! \(type == "video/x-h264" ? "h264" : "h265")timestamper"
        switch (type, container) {
        // Parameter sets are in band in Matroska, so that they can change.
        case ("video/x-h264", .mkv): return "\(parser) ! video/x-h264,stream-format=avc3,alignment=au"
        case ("video/x-h264", _): return "\(timed) ! video/x-h264,stream-format=avc,alignment=au"
        case ("video/x-h265", .mkv): return "\(parser) ! video/x-h265,stream-format=hev1,alignment=au"
        case ("video/x-h265", _): return "\(timed) ! video/x-h265,stream-format=hvc1,alignment=au"
        default: return parser
        }
    }
}
