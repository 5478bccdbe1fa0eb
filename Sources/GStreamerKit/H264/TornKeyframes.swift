/// A filter for H.264 access units that lack their beginning, a slice or their end after packet loss.
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

    /// The properties that are usually the same for all keyframes of a sender.
    private struct SenderBehavior: Hashable {
        var repeatsParameters = false
        /// Whether the marker bit of the last packet is set (RFC 6184 §5.1).
        var marksEnd = false
        /// The number of slices of each keyframe.
        var sliceCount = 0
    }

    /// Whether a complete keyframe is awaited after a loss.
    private var isWaiting = false
    private var behavior = SenderBehavior()
    /// Whether complete keyframes of the sender differ in their number of slices.
    private var sliceCountVaries = false

    /// Judges the next access unit; `keyframe` is nil for a unit that depends on others.
    mutating func judge(isAfterLoss: Bool, isMarked: Bool, keyframe: KeyframeSlices?) -> Verdict {
        guard let keyframe else {
            isWaiting = isWaiting || isAfterLoss
            return isWaiting ? .isTorn : .passes
        }
        let seen = SenderBehavior(
            repeatsParameters: keyframe.hasParameters,
            marksEnd: isMarked,
            sliceCount: keyframe.count
        )
        if isAfterLoss || isWaiting {
            let isUnusual =
                behavior.repeatsParameters && !seen.repeatsParameters || behavior.marksEnd && !seen.marksEnd
                || !sliceCountVaries && seen.sliceCount < behavior.sliceCount
            isWaiting = !keyframe.isFirstSlice || isUnusual
        } else if behavior.sliceCount > 0, seen.sliceCount != behavior.sliceCount {
            sliceCountVaries = true
        }
        // A property that is missing once may have been lost. If it is missing twice, the sender has changed
        // its behavior.
        if keyframe.isFirstSlice || !isWaiting { behavior = seen }
        return isWaiting ? .isTornKeyframe : .passes
    }
}

/// The properties of a keyframe's slices, read from its access unit.
struct KeyframeSlices: Hashable, Sendable {
    private static let (parameters, slices) = (UInt8(7), UInt8(1)...UInt8(5))

    /// Whether a sequence parameter set precedes the first slice.
    private(set) var hasParameters = false
    /// Whether the first slice that arrived is the first slice of the frame.
    private(set) var isFirstSlice = false
    /// The number of slices.
    private(set) var count = 0

    /// Parses a byte stream (ITU-T H.264, annex B).
    init(of bytes: UnsafeRawBufferPointer) {
        var zeros = 0
        var isHeader = false
        for (index, byte) in bytes.enumerated() {
            if isHeader {
                isHeader = false
                let type = byte & 0x1F
                if type == Self.parameters, count == 0 { hasParameters = true }
                if Self.slices.contains(type) {
                    count += 1
                    // first_mb_in_slice is 0 if its Exp-Golomb code is a single 1.
                    let isFirst = index + 1 < bytes.count && bytes[index + 1] & 0x80 != 0
                    if count == 1 { isFirstSlice = isFirst }
                }
            }
            if byte == 1 && zeros >= 2 { isHeader = true }
            zeros = byte == 0 ? zeros + 1 : 0
        }
    }
}
