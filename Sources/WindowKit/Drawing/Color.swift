/// A color with its opacity; each component is 0…255.
package struct Color: Hashable, Sendable {
    let red: UInt8
    let green: UInt8
    let blue: UInt8
    package var alpha: UInt8 = 255

    package init(_ rgb: UInt32, alpha: UInt8 = 255) {
        red = UInt8(truncatingIfNeeded: rgb >> 16)
        green = UInt8(truncatingIfNeeded: rgb >> 8)
        blue = UInt8(truncatingIfNeeded: rgb)
        self.alpha = alpha
    }

    /// The color without its opacity, as 0xRRGGBB.
    package var rgb: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }

    /// Mixes this color with a share, 0…1, of another; the opacity is unchanged.
    package func mixed(with other: Color, share: Double) -> Color {
        func mix(_ own: UInt8, _ other: UInt8) -> UInt32 {
            UInt32((Double(own) * (1 - share) + Double(other) * share).rounded())
        }
        let rgb = mix(red, other.red) << 16 | mix(green, other.green) << 8 | mix(blue, other.blue)
        return Color(rgb, alpha: alpha)
    }

    func largestDifference(to other: Color) -> Int {
        [(red, other.red), (green, other.green), (blue, other.blue)]
            .reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    package static let background = Color(0x0E1014)
    package static let backgroundTop = Color(0x1C2028)
    package static let emblem = Color(0x272C36)
    package static let emblemInk = Color(0x4A5262)
    package static let tile = Color(0x20242C)
    package static let border = Color(0xFFFFFF, alpha: 110)
    package static let warning = Color(0xE5484D, alpha: 235)
    package static let meter = Color(0x3FB950, alpha: 235)
    package static let meterTrough = Color(0x000000, alpha: 110)
    package static let white = Color(0xFFFFFF)
    package static let brand = Color(0x3B82F6)
}
