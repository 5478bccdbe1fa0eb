/// A font by its family, weight and size.
package struct TextFont: Hashable, Sendable {
    package enum Weight: Hashable, Sendable {
        case regular, medium, bold
    }

    /// The name of the family; fontconfig chooses another one for letters that it lacks.
    package var family: String
    package var weight: Weight
    /// The size of the em square in pixels.
    package var pixels: Double

    package init(_ family: String, _ weight: Weight = .regular, pixels: Double) {
        (self.family, self.weight, self.pixels) = (family, weight, pixels)
    }
}
