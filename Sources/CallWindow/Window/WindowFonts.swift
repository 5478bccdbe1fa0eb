/// The fonts on this host that a window would use.
package enum WindowFonts {
    /// The font family for which the window is designed.
    package static let preferred = "Roboto"

    /// The font family that is found; nil if there is none, so that ImGui's built-in Latin font is used.
    package static var family: String? { FontFiles.find().family }
}
