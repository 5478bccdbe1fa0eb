package import CallCore

/// A notice about a recording, a snapshot, the volume or a device, shown for some seconds.
package struct SavedNotice: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The path of a recording in progress, of a finished one, or of a snapshot.
        case recording(String), recorded(String), picture(String)
        case refused(ControlRefusal)
        /// The playback volume of the peer in percent.
        case volume(Int)
        /// The previously selected devices that are missing, so that others are used.
        case missing([CallDevice])
        /// The peer is recorded but cannot learn it.
        case unaware
    }

    package var content: Content
    /// The number that distinguishes a notice from the next one with the same content.
    package var number: Int
}
