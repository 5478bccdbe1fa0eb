internal import CallCore
internal import GStreamerKit

/// Sound that says nothing, in whatever codec a microphone is muted.
enum Silence {
    /// As long as `sample`, at its time.
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
