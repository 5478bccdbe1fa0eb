/// Width and height of a picture in pixels, as in `1280x720`.
package struct Resolution: Hashable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    /// What cameras, encoders and screens have in common.
    package static let sides = 16...8192

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// - Parameter text: two even numbers within `sides`; nil for anything else.
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
