internal import GStreamerKit

/// The frames that the RTP payloaders of GStreamer 1.22 can send.
///
/// A source that is sent without re-encoding may contain others, at which a payloader fails, ends the process, or never
/// frees the memory of the frame.
package enum PayloadableFrame {
    private static let startCodeVP8: [UInt8] = [0x9D, 0x01, 0x2A]
    private static let syncCodeVP9: [UInt8] = [0x49, 0x83, 0x42]

    /// Returns whether a frame can be sent.
    package static func accepts(_ frame: UnsafeRawBufferPointer, _ codec: Codec) -> Bool {
        switch codec {
        case .h264: acceptsH264(frame)
        case .vp8: acceptsVP8(frame)
        case .vp9: acceptsVP9(frame)
        case .opus, .pcmu, .pcma: !frame.isEmpty
        }
    }

    /// Checks that a frame of H.264 begins with a start code, and that each of its units has content.
    ///
    /// `rtph264pay` never frees a frame that begins otherwise, and ends the process at an empty unit.
    private static func acceptsH264(_ frame: UnsafeRawBufferPointer) -> Bool {
        let starts = H264StartCodes.positions(in: frame)
        guard let first = starts.first, first <= 1, frame[0] == 0, let last = starts.last,
            frame.count - last >= H264StartCodes.length + 2
        else { return false }
        return zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 > H264StartCodes.length }
    }

    /// Checks the frame tag, and the size of the first partition (RFC 6386 §9.1).
    private static func acceptsVP8(_ frame: UnsafeRawBufferPointer) -> Bool {
        guard frame.count >= 3 else { return false }
        let tag = Int(frame[0]) | Int(frame[1]) << 8 | Int(frame[2]) << 16
        let isKeyframe = tag & 1 == 0
        let header = isKeyframe ? 10 : 3
        guard tag >> 1 & 7 <= 3, header + tag >> 5 < frame.count else { return false }
        return !isKeyframe || frame[3..<6].elementsEqual(startCodeVP8)
    }

    /// Checks the beginning of the uncompressed header; rejects a frame that only shows an earlier one again.
    private static func acceptsVP9(_ frame: UnsafeRawBufferPointer) -> Bool {
        guard frame.count >= 3, frame[0] >> 6 == 2, frame[0] & 0x30 == 0 else { return false }
        let (showsEarlierFrame, isKeyframe) = (frame[0] & 0x08 != 0, frame[0] & 0x04 == 0)
        guard !showsEarlierFrame else { return false }
        return !isKeyframe || frame.count >= 13 && frame[1..<4].elementsEqual(syncCodeVP9)
    }
}
