/// A filter for H.264 access units that lack their beginning or end after packet loss.
///
/// After a loss, `rtph264depay` (1.22) waits for a keyframe, but it also outputs keyframes without their
/// first slice, without their end, or without their parameter sets. Such a frame, and all that depend on it,
/// would be shown damaged.
struct TornKeyframes: Sendable {
    enum Verdict: Hashable, Sendable {
        case passes
        case isTorn
        /// An incomplete keyframe; nothing can be decoded until another keyframe, which must be requested.
        case isTornKeyframe
    }

    /// The properties that a sender gives either to all of its keyframes or to none.
    private struct SenderBehavior: Hashable {
        var repeatsParameters = false
        /// Whether the marker bit of the last packet is set (RFC 6184 §5.1).
        var marksEnd = false
    }

    /// Whether a complete keyframe is awaited after a loss.
    private var isWaiting = false
    private var behavior = SenderBehavior()

    /// Judges the next access unit; `keyframe` is nil for a unit that depends on others.
    mutating func judge(isAfterLoss: Bool, isMarked: Bool, keyframe: KeyframeBeginning?) -> Verdict {
        guard let keyframe else {
            isWaiting = isWaiting || isAfterLoss
            return isWaiting ? .isTorn : .passes
        }
        let seen = SenderBehavior(repeatsParameters: keyframe.hasParameters, marksEnd: isMarked)
        if isAfterLoss || isWaiting {
            let isUnusual =
                behavior.repeatsParameters && !seen.repeatsParameters || behavior.marksEnd && !seen.marksEnd
            isWaiting = !keyframe.isFirstSlice || isUnusual
        }
        // A property that is missing once may have been lost. If it is missing twice, the sender has changed
        // its behavior.
        if keyframe.isFirstSlice || !isWaiting { behavior = seen }
        return isWaiting ? .isTornKeyframe : .passes
    }
}

/// The properties of a keyframe, read from its access unit up to the first slice.
struct KeyframeBeginning: Hashable, Sendable {
    private static let (parameters, slices) = (UInt8(7), UInt8(1)...UInt8(5))

    /// Whether a sequence parameter set precedes the first slice.
    private(set) var hasParameters = false
    /// Whether the first slice that arrived is the first slice of the frame.
    private(set) var isFirstSlice = false

    /// Parses a byte stream (ITU-T H.264, annex B).
    init(of bytes: UnsafeRawBufferPointer) {
        var zeros = 0
        var isHeader = false
        for (index, byte) in bytes.enumerated() {
            if isHeader {
                isHeader = false
                let type = byte & 0x1F
                if type == Self.parameters { hasParameters = true }
                if Self.slices.contains(type) {
                    // first_mb_in_slice is 0 if its Exp-Golomb code is a single 1.
                    isFirstSlice = index + 1 < bytes.count && bytes[index + 1] & 0x80 != 0
                    return
                }
            }
            if byte == 1 && zeros >= 2 { isHeader = true }
            zeros = byte == 0 ? zeros + 1 : 0
        }
    }
}
