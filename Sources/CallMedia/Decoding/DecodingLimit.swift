package import CallCore

/// The largest video that is decoded, because a compressed frame of a few kilobytes may claim gigabytes of
/// memory.
package struct DecodingLimit: Hashable, Sendable {
    /// The default: sides of at most 4096 pixels, and at most the pixel count of 4096×2304.
    package static let standard = DecodingLimit(Resolution(width: 4096, height: 2304))

    /// The range of a limit's sides; no supported codec has longer ones.
    package static let sides = 16...65_536

    /// The limit: no side may exceed its longer side, and no frame may have more pixels.
    package let size: Resolution

    package init(_ size: Resolution) { self.size = size }

    /// Returns whether video of this resolution is decoded.
    ///
    /// The limit is rounded up to whole macroblocks, because H.264 is coded in them.
    ///
    /// - Parameter other: the resolution of the video.
    /// - Returns: whether it is within the limit.
    func allows(_ other: Resolution) -> Bool {
        let (width, height) = (Self.filled(size.width), Self.filled(size.height))
        let longest = max(width, height)
        guard (1...longest).contains(other.width), (1...longest).contains(other.height) else { return false }
        return other.area <= width * height
    }

    private static func filled(_ side: Int) -> Int { (side + 15) / 16 * 16 }

    /// Returns the reason why video of this resolution is not decoded, as text for users.
    func refusal(of other: Resolution) -> String {
        "\(other) is above the limit of \(size); --max-resolution \(other) allows it"
    }
}
