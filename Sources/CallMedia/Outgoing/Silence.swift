internal import CallCore
internal import GStreamerKit
internal import MediaKit

/// Encoded silence for a muted microphone.
enum Silence {
    /// Returns silence in `codec` with the duration and timestamp of `sample`.
    static func replacing(_ sample: MediaSample, in codec: Codec) -> MediaSample {
        switch codec {
        case .pcmu: filled(0xFF, sample)  // zero in μ-law (ITU-T G.711)
        case .pcma: filled(0xD5, sample)  // zero in A-law, every other bit inverted
        case .opus, .h264, .vp8, .vp9: OpusSilence.replacing(sample)
        }
    }

    private static func filled(_ byte: UInt8, _ sample: MediaSample) -> MediaSample {
        sample.replacing(with: [UInt8](repeating: byte, count: sample.size))
    }
}
