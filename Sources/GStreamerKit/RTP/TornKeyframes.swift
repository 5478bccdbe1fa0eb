/// Tells access units of H.264 that lack their beginning or their end from whole ones, after packets were lost.
///
/// `rtph264depay` (1.22) waits for a keyframe then, but takes any slice of one for its beginning, one whose end was lost
/// for whole, and one whose parameter sets were lost for one that needs none. Such a picture, and all that follow it,
/// would be shown torn.
struct TornKeyframes: Sendable {
    enum Verdict: Hashable, Sendable {
        case passes
        case isTorn
        /// Nothing before it can be decoded either, so that another keyframe has to be asked for.
        case isTornKeyframe
    }

    /// What a sender may do with each keyframe, or never.
    private struct Habits: Hashable {
        var repeatsParameters = false
        /// Sets the marker bit of the last packet (RFC 6184 §5.1).
        var marksEnd = false
    }

    /// Whether nothing has been decodable since the last loss.
    private var isWaiting = false
    private var habits = Habits()

    /// Judges the next access unit; `keyframe` is nil for one that depends on others.
    mutating func judge(isAfterLoss: Bool, isMarked: Bool, keyframe: KeyframeBeginning?) -> Verdict {
        guard let keyframe else {
            isWaiting = isWaiting || isAfterLoss
            return isWaiting ? .isTorn : .passes
        }
        let seen = Habits(repeatsParameters: keyframe.hasParameters, marksEnd: isMarked)
        if isAfterLoss || isWaiting {
            let isUnusual =
                habits.repeatsParameters && !seen.repeatsParameters || habits.marksEnd && !seen.marksEnd
            isWaiting = !keyframe.isFirstSlice || isUnusual
        }
        // What is missed once may have been lost; twice, the sender has changed its habits.
        if keyframe.isFirstSlice || !isWaiting { habits = seen }
        return isWaiting ? .isTornKeyframe : .passes
    }
}

/// What an access unit holds up to its first slice.
struct KeyframeBeginning: Hashable, Sendable {
    private static let (parameters, slices) = (UInt8(7), UInt8(1)...UInt8(5))

    /// Whether a sequence parameter set is among it.
    private(set) var hasParameters = false
    /// Whether the first slice is the picture's first.
    private(set) var isFirstSlice = false

    /// Reads a byte stream (ITU-T H.264, annex B).
    init(of bytes: UnsafeRawBufferPointer) {
        var zeros = 0
        var isHeader = false
        for (index, byte) in bytes.enumerated() {
            if isHeader {
                isHeader = false
                let type = byte & 0x1F
                if type == Self.parameters { hasParameters = true }
                if Self.slices.contains(type) {
                    // first_mb_in_slice is 0 where its Exp-Golomb code is a single 1.
                    isFirstSlice = index + 1 < bytes.count && bytes[index + 1] & 0x80 != 0
                    return
                }
            }
            if byte == 1 && zeros >= 2 { isHeader = true }
            zeros = byte == 0 ? zeros + 1 : 0
        }
    }
}
