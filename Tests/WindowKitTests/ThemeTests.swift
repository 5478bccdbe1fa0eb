import Foundation
import Testing

@testable import WindowKit

@Suite("Themes")
struct ThemeTests {
    @Test("Texts have a contrast of 4.5 to 1, or 4 to 1 on badges", arguments: [Theme.light, Theme.dark])
    func contrast(theme: Theme) {
        for ground in [theme.ground, theme.surface, theme.field] {
            for ink in [theme.text, theme.faint, theme.link] {
                #expect(ink.contrast(with: ground) >= 4.5, "\(ink) on \(ground)")
            }
        }
        for ink in [theme.dangerInk, theme.goodInk, theme.warningInk] {
            #expect(ink.contrast(with: theme.surface) >= 4.5, "\(ink)")
            // The backgrounds of badges and of banners.
            #expect(ink.contrast(with: theme.surface.mixed(with: ink, share: 0.14)) >= 4.0, "\(ink)")
            #expect(theme.text.contrast(with: theme.surface.mixed(with: ink, share: 0.12)) >= 4.5)
        }
        #expect(theme.onBrand.contrast(with: theme.brand) >= 4.5)
        #expect(theme.onDanger.contrast(with: theme.danger) >= 4.5)
        #expect(theme.brand.contrast(with: theme.surface) >= 3)
    }

    @Test("Field borders have a contrast of 3 to 1 inside and outside", arguments: [Theme.light, Theme.dark])
    func edges(theme: Theme) {
        for ground in [theme.ground, theme.surface, theme.field] {
            #expect(theme.edge.contrast(with: ground) >= 3, "\(theme.edge) on \(ground)")
        }
    }

    @Test("White initials have a contrast of 4.5 to 1 with every avatar color")
    func avatars() {
        for color in Avatar.colors { #expect(Color.white.contrast(with: color) >= 4.5, "\(color)") }
    }

    @Test(
        "Initials are the first letters of the first two words of a name",
        arguments: [
            ("Ann Lee", "AL"), ("bob", "B"), ("Олена Ґонта-Коваль", "ОҐ"), ("  x ", "X"), ("🙂", ""), ("", ""),
            ("7 of 9", "7O"), ("שלום עליכם", "שע"), ("名無し Ann", "名A"), ("e\u{301}mile", "É"),
        ]
    )
    func initials(name: String, expected: String) {
        #expect(Avatar.initials(of: name) == expected)
        #expect(Avatar.color(of: name) == Avatar.color(of: name))
    }
}

extension Color {
    /// Returns the contrast ratio of WCAG 2.1, from 1 to 21.
    func contrast(with other: Color) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    private var luminance: Double {
        func linear(_ value: UInt8) -> Double {
            let share = Double(value) / 255
            return share <= 0.03928 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
