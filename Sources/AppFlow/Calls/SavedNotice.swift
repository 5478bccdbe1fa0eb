package import Basics

/// A notice about a recording, a snapshot, the volume or a device, shown for some seconds.
package struct SavedNotice: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The path of a recording in progress, of a finished recording, or of a snapshot.
        case recording(String), recorded(String), picture(String)
        case refused(ControlRefusal)
        /// The playback volume of the peer's audio in percent.
        case volume(Int)
        /// The previously selected devices that are missing; other devices are used instead.
        case missing([MediaDevice])
        /// The peer is being recorded but cannot be notified.
        case unaware
    }

    package var content: Content
    /// The number that distinguishes this notice from another notice with the same content.
    package var number: Int
}
