internal import Basics

/// The resolution at which an encoded frame is decoded, according to its header.
enum FrameSize: Hashable, Sendable {
    /// A frame at which decoding can start.
    case keyframe(Resolution)
    /// A frame that declares its own resolution, but at which decoding cannot start.
    case changed(Resolution)
    /// A frame with the resolution of an earlier one.
    case unchanged
    /// A frame with an invalid header, which no decoder may receive.
    case unreadable
}

extension FrameSize {
    private static let startCodeVP8: [UInt8] = [0x9D, 0x01, 0x2A]

    /// Parses the frame tag and the key frame header (RFC 6386 §9.1).
    static func vp8(_ frame: UnsafeRawBufferPointer) -> FrameSize {
        guard let tag = frame.first else { return .unreadable }
        guard tag & 1 == 0 else { return .unchanged }
        guard frame.count >= 10, frame[3..<6].elementsEqual(startCodeVP8) else { return .unreadable }
        let side = { Int(frame[$0]) | Int(frame[$0 + 1] & 0x3F) << 8 }
        return .keyframe(Resolution(width: side(6), height: side(8)))
    }
}
