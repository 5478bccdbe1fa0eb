import Testing

@testable import WindowKit

@Suite("Icon glyphs")
struct GlyphTests {
    @Test(
        "A glyph covers some, but not all pixels of its square",
        arguments: Glyph.allCases,
        [1, 12, 40, 200]
    )
    func coverage(glyph: Glyph, side: Int) {
        let pixels = glyph.coverage(side: side)
        #expect(pixels.count == side * side)
        guard side > 1 else { return }
        // A line one pixel wide may lie on the border of two pixels.
        #expect(pixels.contains { $0 >= (side < 40 ? 120 : 255) })
        #expect(pixels.contains(0))
    }

    @Test("A disc has the area of a circle and a smooth edge")
    func disc() {
        let pixels = Glyph.disc.coverage(side: 100)
        let area = pixels.reduce(0) { $0 + Double($1) / 255 }
        #expect(abs(area - .pi * 50 * 50) < 40)
        #expect(pixels.contains { (1..<255).contains($0) })
    }

    @Test("The glyph for a camera that is off is a camera with a line through it")
    func strike() {
        let (open, closed) = (Glyph.camera.coverage(side: 48), Glyph.closedCamera.coverage(side: 48))
        #expect(open[24 * 48 + 18] == 255)
        #expect(open[8 * 48 + 8] == 0 && closed[8 * 48 + 8] == 255)
        #expect(open != closed)
    }
}
