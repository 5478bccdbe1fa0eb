package import Basics
package import GStreamerKit

/// A stream of a source, which any number of calls may send.
package struct SourceTrack: Sendable {
    package enum Format: Codable, Hashable, Sendable {
        /// An encoded stream that can be payloaded; for H.264 with its profile and level.
        case encoded(Codec, h264: H264Stream?)
        case raw
    }

    package let kind: MediaKind
    let format: Format
    package let hub: SampleHub
    /// The size and frame rate of video, if they are known in advance.
    var mode: VideoMode?

    /// The codec of a passed-through track; nil if the track must be encoded.
    package var passthroughCodec: Codec? {
        if case .encoded(let codec, _) = format { codec } else { nil }
    }

    package var h264: H264Stream? {
        if case .encoded(_, let h264) = format { h264 } else { nil }
    }

    /// The frame rate of video in frames per second, or 30 if it is unknown.
    package var frameRate: Int { mode?.rate ?? 30 }

    /// The H.264 level that the track has or will have after encoding; nil if it is unknown.
    package var level: H264Level? { h264?.level ?? mode.map(H264Level.init(holding:)) }
}
