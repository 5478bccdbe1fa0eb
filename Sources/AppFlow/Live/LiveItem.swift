package import LiveCore

/// A stream or file that Home offers to play.
package enum LiveItem: Hashable, Sendable {
    /// The app's own live stream.
    case own(LiveAddress)
    /// The test video that is installed with the program.
    case sample(LiveAddress)
    /// A recording that the user has made.
    case recording(Recording)

    package var address: LiveAddress {
        switch self {
        case .own(let address), .sample(let address): address
        case .recording(let recording): recording.address
        }
    }
}
