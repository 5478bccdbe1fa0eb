internal import Glibc

/// A shape that is rendered once into an image of opacities; sizes are in pixels.
enum Sprite: Hashable, Sendable {
    case glyph(Glyph, side: Int)
    case disc(diameter: Int)
    /// A circle's outline.
    case ring(diameter: Int, thickness: Int)
    /// A part of a circle's outline, in steps clockwise from the right.
    case arc(diameter: Int, thickness: Int, start: Int, length: Int)
    /// A disc that fades out over `blur` pixels on either side of its edge.
    case glow(diameter: Int, blur: Int)

    /// The number of steps of a whole circle.
    static let arcSteps = 120

    var side: Int {
        switch self {
        case .glyph(_, let side), .disc(let side), .ring(let side, _), .arc(let side, _, _, _): max(1, side)
        case .glow(let diameter, let blur): max(1, diameter + 2 * blur)
        }
    }

    /// Renders the coverage of each pixel, 0…255, row by row.
    func coverage() -> [UInt8] {
        switch self {
        case .glyph(let glyph, let side): glyph.coverage(side: side)
        case .disc(let diameter): cover { distance, _ in 0.5 - (distance - Double(diameter) / 2) }
        case .ring(let diameter, let thickness):
            cover { distance, _ in Self.ring(distance, diameter, thickness) }
        case .arc(let diameter, let thickness, let start, let length):
            cover { distance, angle in
                let ring = Self.ring(distance, diameter, thickness)
                guard length < Self.arcSteps else { return ring }
                let step = angle / (2 * .pi) * Double(Self.arcSteps) - Double(start)
                let passed = step < 0 ? step + Double(Self.arcSteps) : step
                // The distance in steps, along the circle, to the nearer end; negative outside.
                let inside = min(passed, Double(length) - passed)
                let outside = passed > Double(length) ? Double(Self.arcSteps) - passed : .infinity
                let steps = outside < abs(inside) ? -outside : inside
                return min(ring, 0.5 + steps * 2 * .pi * distance / Double(Self.arcSteps))
            }
        case .glow(let diameter, let blur):
            cover { distance, _ in
                let share = 0.5 - (distance - Double(diameter) / 2) / Double(2 * max(1, blur))
                let bounded = min(max(share, 0), 1)
                return bounded * bounded * (3 - 2 * bounded)
            }
        }
    }

    /// Computes the coverage of a circle's outline at a distance from its center.
    private static func ring(_ distance: Double, _ diameter: Int, _ thickness: Int) -> Double {
        let outer = 0.5 - (distance - Double(diameter) / 2)
        let inner = 0.5 + (distance - Double(diameter) / 2 + Double(thickness))
        return min(outer, inner)
    }

    /// Computes the coverage of each pixel from its distance to the center and its angle, 0…2π.
    private func cover(_ share: (_ distance: Double, _ angle: Double) -> Double) -> [UInt8] {
        let side = side
        let center = Double(side) / 2
        return (0..<side * side).map { index in
            let (x, y) = (Double(index % side) + 0.5 - center, Double(index / side) + 0.5 - center)
            let angle = atan2(y, x)
            let part = share((x * x + y * y).squareRoot(), angle < 0 ? angle + 2 * .pi : angle)
            return UInt8((min(max(part, 0), 1) * 255).rounded())
        }
    }
}
