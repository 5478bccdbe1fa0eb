internal import GStreamerKit
internal import CallCore

/// One stream of a source, on its way to any number of calls.
struct SourceTrack: Sendable {
    enum Format: Hashable, Sendable {
        /// Ready to be packetized; of H.264 with what it says of itself.
        case encoded(Codec, h264: H264Stream?)
        case raw
    }

    let kind: MediaKind
    let format: Format
    let hub: SampleHub
    /// Of pictures, where it is known beforehand.
    var mode: VideoMode?

    /// The codec that goes out untouched; nil where the track must be encoded.
    var passthroughCodec: Codec? {
        if case .encoded(let codec, _) = format { codec } else { nil }
    }

    var h264: H264Stream? {
        if case .encoded(_, let h264) = format { h264 } else { nil }
    }

    /// The level of H.264 that the track has, or would have; nil where that is unknown.
    var level: H264Level? { h264?.level ?? mode.map(H264Level.init(holding:)) }
}
