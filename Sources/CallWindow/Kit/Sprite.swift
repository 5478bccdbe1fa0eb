/// A shape that is rendered once into an image of opacities; sizes are in pixels.
enum Sprite: Hashable, Sendable {
    case glyph(Glyph, side: Int)
    case disc(diameter: Int)
    /// A circle's outline.
    case ring(diameter: Int, thickness: Int)
    /// A disc that fades out over `blur` pixels on either side of its edge.
    case glow(diameter: Int, blur: Int)

    var side: Int {
        switch self {
        case .glyph(_, let side), .disc(let side), .ring(let side, _): max(1, side)
        case .glow(let diameter, let blur): max(1, diameter + 2 * blur)
        }
    }

    /// Renders the coverage of each pixel, 0…255, row by row.
    func coverage() -> [UInt8] {
        switch self {
        case .glyph(let glyph, let side): glyph.coverage(side: side)
        case .disc(let diameter): cover { 0.5 - ($0 - Double(diameter) / 2) }
        case .ring(let diameter, let thickness):
            cover { distance in
                let outer = 0.5 - (distance - Double(diameter) / 2)
                let inner = 0.5 + (distance - Double(diameter) / 2 + Double(thickness))
                return min(outer, inner)
            }
        case .glow(let diameter, let blur):
            cover { distance in
                let share = 0.5 - (distance - Double(diameter) / 2) / Double(2 * max(1, blur))
                let bounded = min(max(share, 0), 1)
                return bounded * bounded * (3 - 2 * bounded)
            }
        }
    }

    /// Computes the coverage of each pixel from its distance to the center.
    private func cover(_ share: (Double) -> Double) -> [UInt8] {
        let side = side
        let center = Double(side) / 2
        return (0..<side * side).map { index in
            let (x, y) = (Double(index % side) + 0.5 - center, Double(index / side) + 0.5 - center)
            return UInt8((min(max(share((x * x + y * y).squareRoot()), 0), 1) * 255).rounded())
        }
    }
}
