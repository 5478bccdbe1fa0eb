/// The fonts that a window would have on this machine.
package enum WindowFonts {
    /// The font family for which the window is designed.
    package static let preferred = "Roboto"

    /// The font family that is found; nil if only ImGui's built-in font is left, which has Latin letters
    /// only.
    package static var family: String? { FontFiles.find().family }
}
