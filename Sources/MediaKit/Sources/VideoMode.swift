internal import GStreamerKit

/// The frame size and frame rate of a video.
package struct VideoMode: Codable, Hashable, Sendable {
    /// The width in pixels, 1…65536.
    package let width: Int
    package let height: Int
    /// The frame rate in frames per second, 1…1000.
    package let rate: Int

    /// Whether the values are in their ranges; always true unless the mode was decoded from a message.
    var isPlausible: Bool { self == VideoMode(width: width, height: height, rate: rate) }

    /// Creates a mode with the values clamped to their ranges; 30 replaces an unknown or variable rate.
    package init(width: Int, height: Int, rate: Int? = nil) {
        self.width = min(max(width, 1), 65_536)
        self.height = min(max(height, 1), 65_536)
        let requested = rate ?? 0
        self.rate = requested > 0 ? min(requested, 1000) : 30
    }

    private static func blocks(_ pixels: Int) -> Int { (pixels + 15) / 16 }

    /// The number of macroblocks, per frame and per second, that an H.264 decoder must process in this mode.
    var demand: H264Level.Demand {
        let macroblocks = Self.blocks(width) * Self.blocks(height)
        return H264Level.Demand(macroblocks: macroblocks, macroblocksPerSecond: macroblocks * rate)
    }

    /// Returns the mode, scaled down to `limit` if necessary; a scaled mode has an even width and height.
    func shrunk(to limit: H264Level.Demand) -> VideoMode {
        let maximum = max(1, min(limit.macroblocks, limit.macroblocksPerSecond / rate))
        // Neither width nor height may exceed the square root of eight times the maximum frame size (H.264,
        // A.3.1).
        let longest = Double(8 * maximum).squareRoot()
        func fits(_ size: VideoMode) -> Bool {
            size.demand.macroblocks <= maximum
                && Double(Self.blocks(max(size.width, size.height))) <= longest
        }
        var (size, scale) = (self, (Double(maximum) / Double(demand.macroblocks)).squareRoot())
        while !fits(size), scale * Double(max(width, height)) >= 4 {
            size = VideoMode(width: Self.even(width, scale), height: Self.even(height, scale), rate: rate)
            scale *= 0.99
        }
        return size
    }

    private static func even(_ pixels: Int, _ scale: Double) -> Int {
        max(2, Int((Double(pixels) * min(scale, 1) / 2).rounded(.down)) * 2)
    }
}

extension VideoMode {
    /// Reads the mode from the caps of raw or encoded video; nil if they lack a size.
    init?(_ caps: Caps) {
        guard let width = caps.int("width"), let height = caps.int("height"), width > 0, height > 0 else {
            return nil
        }
        self.init(width: width, height: height, rate: caps.roundedFraction("framerate"))
    }
}
