internal import GStreamerKit
internal import CallCore

/// One stream of a source, on its way to any number of calls.
struct SourceTrack: Sendable {
    enum Format: Hashable, Sendable {
        /// Ready to be packetized.
        case encoded(Codec, profile: H264Profile?)
        case raw
    }

    let kind: MediaKind
    let format: Format
    let hub: SampleHub

    /// The codec that goes out untouched; nil where the track must be encoded.
    var passthroughCodec: Codec? {
        if case .encoded(let codec, _) = format { codec } else { nil }
    }

    var profile: H264Profile? {
        if case .encoded(_, let profile) = format { profile } else { nil }
    }
}
