/// How large and how often pictures are sent at a bit rate: fewer, when each would be a blur.
package struct ResolutionLadder: Hashable, Sendable {
    /// One rung: what is left of width and height, and of the frame rate.
    package struct Rung: Hashable, Sendable {
        /// From 0 to 1, of width and of height.
        package var scale: Double
        /// From 0 to 1.
        package var pace: Double
    }

    /// From all there is to what is still a picture: size goes first, smoothness later.
    private static let rungs = [
        Rung(scale: 1, pace: 1), Rung(scale: 0.75, pace: 1), Rung(scale: 0.5, pace: 1),
        Rung(scale: 0.5, pace: 0.5), Rung(scale: 0.375, pace: 0.5), Rung(scale: 0.25, pace: 0.5),
    ]
    /// Below this many bits for a pixel, H.264 and VP8 in real time show their blocks.
    private static let bitsPerPixel = 0.035
    private static let headroom = 1.3
    /// Seconds that it must last, downwards and upwards.
    private static let patience = (down: 1.0, up: 4.0)

    private let pixelRate: Double
    private var index = 0
    private var tightSince: Double?
    private var roomySince: Double?

    /// The whole picture has `width` × `height` pixels, `framesPerSecond` of them.
    package init(width: Int, height: Int, framesPerSecond: Double) {
        let pixels = Double(max(0, width)) * Double(max(0, height))
        let rate = pixels * min(max(framesPerSecond.isFinite ? framesPerSecond : 30, 1), 240)
        pixelRate = rate.isFinite ? rate : 0
    }

    package var rung: Rung { Self.rungs[index] }

    /// Follows the bit rate, in bits per second, at `now`, in seconds.
    ///
    /// - Returns: the new rung, where it is another.
    package mutating func update(bitrate: Int, at now: Double) -> Rung? {
        let rate = Double(bitrate)
        if rate < need(index), index + 1 < Self.rungs.count {
            roomySince = nil
            let since = tightSince ?? now
            tightSince = since
            return now - since >= Self.patience.down ? move(to: index + 1) : nil
        }
        tightSince = nil
        guard index > 0, rate > need(index - 1) * Self.headroom else {
            roomySince = nil
            return nil
        }
        let since = roomySince ?? now
        roomySince = since
        return now - since >= Self.patience.up ? move(to: index - 1) : nil
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
