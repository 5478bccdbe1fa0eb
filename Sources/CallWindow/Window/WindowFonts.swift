/// What letters a window would have on this machine.
package enum WindowFonts {
    /// What they are drawn to look best with.
    package static let preferred = "Roboto"

    /// The font that is found; nil where only Latin letters are there, and coarse.
    package static var family: String? { FontFiles.find().family }
}
