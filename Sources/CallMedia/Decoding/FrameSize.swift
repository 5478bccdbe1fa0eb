internal import CallCore

/// The size in which an encoded frame is decoded, by its header.
enum FrameSize: Hashable, Sendable {
    /// Decoding can begin with this frame.
    case keyframe(Resolution)
    /// The frame depends on others and has a size of its own.
    case changed(Resolution)
    /// The frame has the size of one before it.
    case unchanged
    /// No decoder is to see it.
    case unreadable
}

extension FrameSize {
    private static let startCodeVP8: [UInt8] = [0x9D, 0x01, 0x2A]

    /// Reads the frame tag and the key frame's header (RFC 6386 §9.1).
    static func vp8(_ frame: UnsafeRawBufferPointer) -> FrameSize {
        guard let tag = frame.first else { return .unreadable }
        guard tag & 1 == 0 else { return .unchanged }
        guard frame.count >= 10, frame[3..<6].elementsEqual(startCodeVP8) else { return .unreadable }
        let side = { Int(frame[$0]) | Int(frame[$0 + 1] & 0x3F) << 8 }
        return .keyframe(Resolution(width: side(6), height: side(8)))
    }
}
