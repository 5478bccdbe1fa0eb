package import Basics

/// The maximum resolution of decoded video.
///
/// Without a limit, a compressed frame of a few kilobytes could make the decoder allocate gigabytes of
/// memory.
package struct DecodingLimit: Hashable, Sendable {
    /// The default: at most 4096 pixels wide and high, and at most as many pixels as 4096×2304.
    package static let standard = DecodingLimit(Resolution(width: 4096, height: 2304))

    /// The range of a limit's width and height; no supported codec allows more.
    package static let sides = 16...65_536

    /// The resolution that defines the limit.
    ///
    /// Neither the width nor the height of a frame may exceed the longer side of this resolution, and no
    /// frame may have more pixels than it.
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

    /// Returns the reason why video of this resolution is not decoded, for players whose limit users cannot raise.
    func excess(of other: Resolution) -> String { "video of \(other) is above the limit of \(size)" }

    /// Returns the reason why video of this resolution is not decoded, as text for users.
    func refusal(of other: Resolution) -> String {
        "\(other) is above the limit of \(size); --max-resolution \(other) allows it"
    }
}
