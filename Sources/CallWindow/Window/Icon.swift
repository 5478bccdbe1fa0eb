internal import WindowKit

/// The program's icon in the task bar: a camera on a disc.
enum Icon {
    /// Renders the icon as ARGB pixels, row by row, in a square of `side` pixels.
    static func pixels(side: Int) -> [UInt32] {
        let disc = Glyph.disc.coverage(side: side)
        let inner = side * 3 / 5
        let camera = Glyph.camera.coverage(side: inner)
        let inset = (side - inner) / 2
        return (0..<side * side).map { index in
            let (x, y) = (index % side - inset, index / side - inset)
            let isInside = (0..<inner).contains(x) && (0..<inner).contains(y)
            let ink = isInside ? Double(camera[y * inner + x]) / 255 : 0
            return UInt32(disc[index]) << 24 | Color.brand.mixed(with: .white, share: ink).rgb
        }
    }
}
