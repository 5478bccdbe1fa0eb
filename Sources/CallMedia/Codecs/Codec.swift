package import CallCore

/// A codec that this program sends and receives, under its RTP encoding name; the best first.
package enum Codec: String, Hashable, Sendable, CaseIterable {
    case h264 = "H264"
    case vp8 = "VP8"
    case vp9 = "VP9"
    case opus = "OPUS"
    case pcmu = "PCMU"
    case pcma = "PCMA"

    /// - Parameter encodingName: as in `a=rtpmap`, in any case.
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

    /// Which payload types an offer may take for it: one of RFC 3551's own, or one of those that are free.
    var assignedPayloadType: Int? {
        switch self {
        case .pcmu: 0
        case .pcma: 8
        case .h264, .vp8, .vp9, .opus: nil
        }
    }

    /// Whether GStreamer's payloader gives packets this type; not those below 96 that browsers resort to.
    func isPayloaded(as payloadType: Int) -> Bool {
        payloadType == assignedPayloadType || (96...127).contains(payloadType)
    }

    /// The name of its descriptions below `pipelines/`.
    var pipelineName: String { rawValue.lowercased() }

    /// The media type of the encoded stream outside RTP.
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
