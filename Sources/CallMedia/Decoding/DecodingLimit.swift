package import CallCore

/// The largest video that is decoded: a compressed picture of a few kilobytes may claim gigabytes of memory.
package struct DecodingLimit: Hashable, Sendable {
    /// As wide and as high as 4096 pixels, and not more of them than a picture of this size has.
    package static let standard = DecodingLimit(Resolution(width: 4096, height: 2304))

    /// The range of a limit's sides: no codec here has longer ones.
    package static let sides = 16...65_536

    /// No side may be longer than the longer one of this size, no picture have more pixels than it.
    package let size: Resolution

    package init(_ size: Resolution) { self.size = size }

    /// Whether pictures of this size are decoded; the limit is filled up to whole macroblocks, as H.264 is coded.
    func allows(_ other: Resolution) -> Bool {
        let (width, height) = (Self.filled(size.width), Self.filled(size.height))
        let longest = max(width, height)
        guard (1...longest).contains(other.width), (1...longest).contains(other.height) else { return false }
        return other.area <= width * height
    }

    private static func filled(_ side: Int) -> Int { (side + 15) / 16 * 16 }

    /// Why pictures of this size are not decoded, for people.
    func refusal(of other: Resolution) -> String {
        "\(other) is above the limit of \(size); --max-resolution \(other) allows it"
    }
}
