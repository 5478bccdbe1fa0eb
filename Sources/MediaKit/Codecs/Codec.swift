package import Basics

/// A codec that callrunner can send and receive, named by its RTP encoding name, in order of preference.
package enum Codec: String, Codable, Hashable, Sendable, CaseIterable {
    case h264 = "H264"
    case vp8 = "VP8"
    case vp9 = "VP9"
    case opus = "OPUS"
    case pcmu = "PCMU"
    case pcma = "PCMA"

    /// Finds the codec with the encoding name of an `a=rtpmap` attribute, ignoring case; nil if it is
    /// unsupported.
    package init?(encodingName: String) { self.init(rawValue: encodingName.uppercased()) }

    package var kind: MediaKind {
        switch self {
        case .h264, .vp8, .vp9: .video
        case .opus, .pcmu, .pcma: .audio
        }
    }

    package var clockRate: Int {
        switch self {
        case .h264, .vp8, .vp9: 90_000
        case .opus: 48_000
        case .pcmu, .pcma: 8000
        }
    }

    /// The static payload type of RFC 3551; nil for a codec with a dynamic payload type.
    package var assignedPayloadType: Int? {
        switch self {
        case .pcmu: 0
        case .pcma: 8
        case .h264, .vp8, .vp9, .opus: nil
        }
    }

    /// Returns whether GStreamer's payloader supports this payload type.
    ///
    /// It does not support the dynamic payload types below 96 that browsers fall back to.
    package func isPayloaded(as payloadType: Int) -> Bool {
        payloadType == assignedPayloadType || (96...127).contains(payloadType)
    }

    /// The name of the codec's templates in the subfolders of `pipelines/`.
    package var pipelineName: String { rawValue.lowercased() }

    /// The GStreamer media type of the encoded stream outside RTP.
    package var mediaType: String {
        switch self {
        case .h264: "video/x-h264"
        case .vp8: "video/x-vp8"
        case .vp9: "video/x-vp9"
        case .opus: "audio/x-opus"
        case .pcmu: "audio/x-mulaw"
        case .pcma: "audio/x-alaw"
        }
    }

    init?(mediaType: String) {
        guard let codec = Codec.allCases.first(where: { $0.mediaType == mediaType }) else { return nil }
        self = codec
    }
}
