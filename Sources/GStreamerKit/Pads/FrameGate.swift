/// Decides which encoded frames a decoder receives, so that frames are skipped while pictures are not needed.
///
/// Skipping begins only at a keyframe. The skipped frames of the current group of pictures are stored, so that decoding
/// can resume before the next keyframe.
struct FrameGate<Frame: Sendable>: Sendable {
    enum Decision: Sendable {
        case decode
        /// Decode the skipped frames, whose pictures are not shown, and then the current frame.
        case catchUp([Frame])
        /// Skip the frame; `isFirst` is true if the frame before it was decoded.
        case leaveOut(isFirst: Bool)
    }

    private let maximumBytes: Int
    /// The frames that were skipped since the last keyframe.
    private var group: [Frame] = []
    private var bytes = 0
    private var leavesOut = false
    /// Whether a group has been decoded since the last seek or change of the format.
    private var hasDecoded = false
    /// Whether some of the skipped frames are missing in `group`.
    private var isIncomplete = false

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Decides whether the next frame is decoded; `size` counts toward `maximumBytes` if the frame is skipped.
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

    /// Ensures that the next group is decoded, because the stream continues at another position.
    mutating func seek() {
        clear()
        (leavesOut, hasDecoded) = (false, false)
    }

    /// Ensures that the next group is decoded, because its format is different.
    ///
    /// If frames of the current group were skipped, the remaining frames of this group cannot be decoded.
    mutating func changeFormat() {
        clear()
        (isIncomplete, hasDecoded) = (leavesOut, false)
    }

    private mutating func clear() { (group, bytes, isIncomplete) = ([], 0, false) }
}
