package import CallCore

/// What became of a wish to keep something of a call, or to hear it louder, to be shown for some seconds.
package struct SavedNotice: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The file's path.
        case recording(String), recorded(String), picture(String)
        case refused(ControlRefusal)
        /// The peer's, in percent.
        case loudness(Int)
        /// Devices chosen earlier, in whose place others are used.
        case missing([CallDevice])
        /// The peer is recorded, and does not learn it.
        case unaware
    }

    package var content: Content
    /// Tells one from the next, where both say the same.
    package var number: Int
}
