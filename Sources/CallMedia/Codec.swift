package import CallCore

/// A codec that this program sends and receives, under its RTP encoding name.
package enum Codec: String, Hashable, Sendable, CaseIterable {
    case h264 = "H264"
    case vp8 = "VP8"
    case opus = "OPUS"

    /// - Parameter encodingName: as in `a=rtpmap`, in any case.
    package init?(encodingName: String) { self.init(rawValue: encodingName.uppercased()) }

    package var kind: MediaKind { self == .opus ? .audio : .video }

    package var clockRate: Int { kind == .audio ? 48_000 : 90_000 }

    /// The name of its descriptions below `pipelines/`.
    var pipelineName: String { rawValue.lowercased() }

    /// The media type of the encoded stream outside RTP.
    var mediaType: String {
        switch self {
        case .h264: "video/x-h264"
        case .vp8: "video/x-vp8"
        case .opus: "audio/x-opus"
        }
    }

    init?(mediaType: String) {
        guard let codec = Codec.allCases.first(where: { $0.mediaType == mediaType }) else { return nil }
        self = codec
    }
}
