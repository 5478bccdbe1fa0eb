/// The width and height of a frame in pixels, such as `1280x720`.
package struct Resolution: Codable, Hashable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    /// The range of widths and heights that cameras, encoders and screens support.
    package static let sides = 16...8192

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Parses a text such as `1280x720`.
    ///
    /// - Parameter text: two even numbers within `sides`; the result is nil for anything else.
    package init?(_ text: String) {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            Self.sides.contains(width), Self.sides.contains(height), width % 2 == 0, height % 2 == 0
        else { return nil }
        self.init(width: width, height: height)
    }

    package var description: String { "\(width)x\(height)" }

    package var area: Int { width * height }
}
