/// Tells access units of H.264 that lack their beginning from whole ones, after packets were lost.
///
/// `rtph264depay` (1.22) waits for a keyframe then, but takes any slice of one for its beginning, and a keyframe whose
/// parameter sets were lost for one that needs none. Such a picture, and all that follow it, would be shown torn.
struct TornKeyframes: Sendable {
    enum Verdict: Hashable, Sendable {
        case passes
        case isTorn
        /// Nothing before it can be decoded either, so that another keyframe has to be asked for.
        case isTornKeyframe
    }

    /// Whether nothing has been decodable since the last loss.
    private var isWaiting = false
    /// Whether the last whole keyframe brought its parameter sets along.
    private var repeatsParameters = false

    /// Judges the next access unit, a byte stream (ITU-T H.264, annex B) that only keyframes and what follows a loss
    /// are read of.
    mutating func judge(isAfterLoss: Bool, isDelta: Bool, _ bytes: () -> UnsafeRawBufferPointer) -> Verdict {
        if isDelta {
            isWaiting = isWaiting || isAfterLoss
            return isWaiting ? .isTorn : .passes
        }
        let beginning = Beginning(of: bytes())
        guard isAfterLoss || isWaiting else {
            repeatsParameters = beginning.hasParameters
            return .passes
        }
        isWaiting = !beginning.isFirstSlice || repeatsParameters && !beginning.hasParameters
        if !isWaiting { repeatsParameters = beginning.hasParameters }
        return isWaiting ? .isTornKeyframe : .passes
    }
}

extension TornKeyframes {
    /// What an access unit holds up to its first slice.
    private struct Beginning {
        private static let (parameters, slices) = (UInt8(7), UInt8(1)...UInt8(5))

        /// Whether a sequence parameter set is among it.
        var hasParameters = false
        /// Whether the first slice is the picture's first.
        var isFirstSlice = false

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
}
