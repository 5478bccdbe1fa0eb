/// A selection of frame size and frame rate by bit rate, which prefers smaller or fewer frames to blurry
/// ones.
package struct ResolutionLadder: Hashable, Sendable {
    /// One rung of the ladder: the factors by which frame size and frame rate are multiplied.
    package struct Rung: Hashable, Sendable {
        /// The factor for width and height, from 0 to 1.
        package var scale: Double
        /// The factor for the frame rate, from 0 to 1.
        package var pace: Double
    }

    /// The rungs from full quality down: first the size shrinks, then the frame rate, then the size again.
    private static let rungs = [
        Rung(scale: 1, pace: 1), Rung(scale: 0.75, pace: 1), Rung(scale: 0.5, pace: 1),
        Rung(scale: 0.5, pace: 0.5), Rung(scale: 0.375, pace: 0.5), Rung(scale: 0.25, pace: 0.5),
    ]
    /// The bits per pixel below which real-time H.264 and VP8 show block artifacts.
    private static let bitsPerPixel = 0.035
    private static let headroom = 1.3
    /// The number of seconds for which the bit rate must be too low, or high enough, before a step down or
    /// up.
    private static let stepDelay = (down: 1.0, up: 4.0)

    private let pixelRate: Double
    private var index = 0
    private var tightSince: Double?
    private var roomySince: Double?

    /// Creates a ladder for frames of `width` × `height` pixels at `framesPerSecond`.
    package init(width: Int, height: Int, framesPerSecond: Double) {
        let pixels = Double(max(0, width)) * Double(max(0, height))
        let rate = pixels * min(max(framesPerSecond.isFinite ? framesPerSecond : 30, 1), 240)
        pixelRate = rate.isFinite ? rate : 0
    }

    package var rung: Rung { Self.rungs[index] }

    /// Selects the rung for a bit rate in bits per second at the time `now`, in seconds.
    ///
    /// - Returns: the new rung if it has changed; else nil.
    package mutating func update(bitrate: Int, at now: Double) -> Rung? {
        let rate = Double(bitrate)
        if rate < need(index), index + 1 < Self.rungs.count {
            roomySince = nil
            let since = tightSince ?? now
            tightSince = since
            return now - since >= Self.stepDelay.down ? move(to: index + 1) : nil
        }
        tightSince = nil
        guard index > 0, rate > need(index - 1) * Self.headroom else {
            roomySince = nil
            return nil
        }
        let since = roomySince ?? now
        roomySince = since
        return now - since >= Self.stepDelay.up ? move(to: index - 1) : nil
    }

    private mutating func move(to next: Int) -> Rung {
        (index, tightSince, roomySince) = (next, nil, nil)
        return rung
    }

    private func need(_ index: Int) -> Double {
        let rung = Self.rungs[index]
        return pixelRate * rung.scale * rung.scale * rung.pace * Self.bitsPerPixel
    }
}
