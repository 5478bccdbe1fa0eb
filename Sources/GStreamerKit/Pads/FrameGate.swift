/// The decision which encoded frames a decoder receives, if nobody needs its pictures for a while.
///
/// Only whole groups of pictures are left out, each from its keyframe. The frames of the current group are kept, so
/// that decoding can continue within it.
struct FrameGate<Frame: Sendable>: Sendable {
    enum Decision: Sendable {
        case decode
        /// Decode the frames that were left out, which are not shown, and then the current one.
        case catchUp([Frame])
        /// Leave the frame out; `isFirst` tells whether the one before it was decoded.
        case leaveOut(isFirst: Bool)
    }

    private let maximumBytes: Int
    /// The frames that were left out since the last keyframe.
    private var group: [Frame] = []
    private var bytes = 0
    private var leavesOut = false
    /// Whether a group has been decoded since the last seek or change of the format.
    private var hasDecoded = false
    /// Whether `group` lacks frames that were left out.
    private var isIncomplete = false

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Decides whether the next frame is decoded; its size counts towards `maximumBytes` while it is kept.
    mutating func decide(_ frame: Frame, bytes size: Int, isKeyframe: Bool, isNeeded: Bool) -> Decision {
        var isFirst = false
        if isKeyframe {
            clear()
            isFirst = !leavesOut
            leavesOut = !isNeeded && hasDecoded
            hasDecoded = true
        }
        guard leavesOut else { return .decode }
        if isNeeded, !isIncomplete {
            leavesOut = false
            defer { clear() }
            return .catchUp(group)
        }
        bytes += size
        if bytes > maximumBytes {
            group = []
            isIncomplete = true
        } else if !isIncomplete {
            group.append(frame)
        }
        return .leaveOut(isFirst: isFirst)
    }

    /// Decodes the next group in any case, because the stream continues at another place.
    mutating func seek() {
        clear()
        (leavesOut, hasDecoded) = (false, false)
    }

    /// Decodes the next group in any case, because its format is another one.
    ///
    /// If frames of the current group were left out, those that follow in it cannot be decoded.
    mutating func changeFormat() {
        clear()
        (isIncomplete, hasDecoded) = (leavesOut, false)
    }

    private mutating func clear() { (group, bytes, isIncomplete) = ([], 0, false) }
}
