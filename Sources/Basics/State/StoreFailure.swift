/// A failure to read, save or delete the user's data.
package struct StoreFailure: Error, Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable {
        /// A secret cannot be deleted before the keyring is unlocked.
        case keyringLocked = "keyring-locked"
        case other
    }

    package let reason: Reason
    /// The failure and its cause, without a full stop.
    package let message: String
    package let hint: String

    package init(reason: Reason = .other, message: String, hint: String) {
        self.reason = reason
        self.message = message
        self.hint = hint
    }
}
