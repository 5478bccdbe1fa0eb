/// The fonts on this computer that a window uses.
package enum WindowFonts {
    /// The font family for which the window is designed.
    package static let preferred = "Roboto"

    /// The font family that is used; nil if no font is installed.
    package static var family: String? { Typesetter().usedFamily(for: preferred) }

    /// The warning for the user if no font is installed.
    package static let warning =
        "no font is installed, so the window shows no text: install fonts-roboto-unhinted"
}
