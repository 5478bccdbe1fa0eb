package import LiveCore

/// A row of the Library.
package enum LibraryItem: Hashable, Sendable {
    case recording(Recording)
    case call(PastCall)
    /// The test video, which is listed if there are neither recordings nor calls.
    case sample(LiveAddress)

    /// Whether the item must not be shown to another user.
    var isPrivate: Bool {
        if case .call = self { true } else { false }
    }
}
