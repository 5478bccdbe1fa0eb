internal import GStreamerKit

/// Opus packets (RFC 6716) that say nothing, for a muted microphone.
enum OpusSilence {
    /// One stereo CELT frame of 20 ms whose silence flag is set (RFC 6716 §4.3).
    private static let frame: [UInt8] = [0xFF, 0xFE]
    /// Full band, 20 ms, stereo; the low two bits count the frames (RFC 6716 §3.1).
    private static let configuration: UInt8 = 0b1111_1100

    /// Silence that lasts as long as the packet `sample`, at its time.
    static func replacing(_ sample: MediaSample) -> MediaSample {
        let duration: Int? = sample.withBytes { Self.duration(of: $0) } ?? nil
        return sample.replacing(with: packet(lasting: duration ?? 20_000))
    }

    /// Silence of so many nanoseconds, at the time of `sample`.
    static func replacing(_ sample: MediaSample, lasting nanoseconds: UInt64) -> MediaSample {
        sample.replacing(with: packet(lasting: Int(clamping: nanoseconds / 1000)))
    }

    /// A packet of silence that lasts 2,500…120,000 `microseconds`.
    ///
    /// What is no multiple of 20 ms is one shorter frame or, above 20 ms, rounded down.
    static func packet(lasting microseconds: Int) -> [UInt8] {
        switch microseconds {
        case ..<5_000: return [0b1110_0100] + frame
        case ..<10_000: return [0b1110_1100] + frame
        case ..<20_000: return [0b1111_0100] + frame
        case ..<40_000: return [configuration] + frame
        default:
            let count = min(microseconds, 120_000) / 20_000
            // Code 3: a count of frames, all of one size.
            return [configuration | 3, UInt8(count)] + (0..<count).flatMap { _ in frame }
        }
    }

    /// How long a packet plays, in microseconds; nil where it is none (RFC 6716 §3.1, §3.2.5).
    static func duration(of packet: some Collection<UInt8>) -> Int? {
        guard let first = packet.first else { return nil }
        let configuration = Int(first >> 3)
        let frame =
            switch configuration {
            case ..<12: [10_000, 20_000, 40_000, 60_000][configuration % 4]
            case ..<16: [10_000, 20_000][configuration % 2]
            default: [2_500, 5_000, 10_000, 20_000][configuration % 4]
            }
        switch first & 3 {
        case 0: return frame
        case 1, 2: return 2 * frame
        default:
            guard let second = packet.dropFirst().first else { return nil }
            let duration = frame * Int(second & 0x3F)
            return (1...120_000).contains(duration) ? duration : nil
        }
    }
}
