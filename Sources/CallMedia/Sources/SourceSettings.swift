package import CallCore

/// How a source is to be opened, beyond what it is.
package struct SourceSettings: Hashable, Sendable {
    /// The picture's size where it is ours to choose; nil leaves it to the source.
    package var size: Resolution?
    /// Pictures a second where it is ours to choose; nil leaves it to the source.
    package var rate: Int?
    /// Where in a file to begin, and every further round of it.
    package var start = Duration.zero
    /// Whether the call ends with the file.
    package var isPlayedOnce = false

    package init() {}

    static let defaultSize = Resolution(width: 1280, height: 720)
    static let defaultRate = 30

    /// The placeholders of a description that makes pictures.
    var placeholders: [String: String] {
        let size = size ?? Self.defaultSize
        return [
            "width": "\(size.width)", "height": "\(size.height)", "framerate": "\(rate ?? Self.defaultRate)",
        ]
    }

    /// `start` in nanoseconds.
    var startTime: UInt64 { UInt64(clamping: Int64(start / .nanoseconds(1))) }
}
