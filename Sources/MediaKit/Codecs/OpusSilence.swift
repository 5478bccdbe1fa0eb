package import GStreamerKit

/// Silent Opus packets (RFC 6716) for a muted microphone.
package enum OpusSilence {
    /// A stereo CELT frame of 20 ms with the silence flag set (RFC 6716 §4.3).
    private static let frame: [UInt8] = [0xFF, 0xFE]
    /// The TOC byte for fullband, 20 ms, stereo; its two low bits encode the number of frames (RFC 6716
    /// §3.1).
    private static let configuration: UInt8 = 0b1111_1100

    /// Returns silence with the duration and timestamp of the packet `sample`.
    package static func replacing(_ sample: MediaSample) -> MediaSample {
        let duration: Int? = sample.withBytes { Self.duration(of: $0) } ?? nil
        return sample.replacing(with: packet(lasting: duration ?? 20_000))
    }

    /// Returns silence of this many nanoseconds with the timestamp of `sample`.
    static func replacing(_ sample: MediaSample, lasting nanoseconds: UInt64) -> MediaSample {
        sample.replacing(with: packet(lasting: Int(clamping: nanoseconds / 1000)))
    }

    /// Creates a silent packet with a duration of 2,500…120,000 `microseconds`.
    ///
    /// The duration is rounded down: above 20 ms to a multiple of 20 ms, below to 2.5, 5 or 10 ms.
    static func packet(lasting microseconds: Int) -> [UInt8] {
        switch microseconds {
        case ..<5_000: return [0b1110_0100] + frame
        case ..<10_000: return [0b1110_1100] + frame
        case ..<20_000: return [0b1111_0100] + frame
        case ..<40_000: return [configuration] + frame
        default:
            let count = min(microseconds, 120_000) / 20_000
            // Code 3: a frame count follows, and all frames have the same size.
            return [configuration | 3, UInt8(count)] + (0..<count).flatMap { _ in frame }
        }
    }

    /// Returns the duration of a packet in microseconds; nil if it is invalid (RFC 6716 §3.1, §3.2.5).
    static func duration(of packet: some Collection<UInt8>) -> Int? {
        guard let first = packet.first else { return nil }
        let frame = OpusPacket.frameDuration(first)
        switch first & 3 {
        case 0: return frame
        case 1, 2: return 2 * frame
        default:
            guard let second = packet.dropFirst().first else { return nil }
            let duration = frame * Int(second & 0x3F)
            return (1...OpusPacket.longest).contains(duration) ? duration : nil
        }
    }
}
