import Testing

@testable import WindowKit

@Suite("The desktop's scale factor")
struct DesktopScaleTests {
    @Test(
        "The scale is Xft.dpi divided by 96, rounded to quarters and limited to 1…4",
        arguments: [
            ("", 1), ("Xft.dpi:\t96\n", 1), ("Xft.antialias:\t1\nXft.dpi:\t192\nXcursor.size:\t48\n", 2),
            ("Xft.dpi: 144", 1.5), ("Xft.dpi:\t120.5\n", 1.25), ("Xft.dpi:\t72\n", 1),
            ("Xft.dpi:\t9600\n", 4),
            ("Xft.dpi:\tlarge\n", 1), ("Xft.dpi:\tnan\n", 1), ("Xft.dpi:\tinf\n", 1), ("Xft.dpi:", 1),
            ("Xft.dpi:\t96\nXft.dpi:\t192\n", 2),
        ]
    )
    func scale(resources: String, expected: Double) {
        #expect(DesktopScale.of(resources) == expected)
    }
}
