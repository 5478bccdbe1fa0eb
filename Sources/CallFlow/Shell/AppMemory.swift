/// The persistent data of the app.
///
/// Unreadable data counts as missing, so that it cannot prevent calls.
package protocol AppMemory: Sendable {
    func identity() async -> RememberedIdentity?
    func settings() async -> AppSettings
    /// Reads the saved token for joining rooms, if there is one.
    func token() async -> String?

    /// Saves the identity.
    ///
    /// - Throws: `AppMemoryFailure`.
    func remember(_ identity: RememberedIdentity) async throws
    /// Saves the settings.
    ///
    /// - Throws: `AppMemoryFailure`.
    func remember(_ settings: AppSettings) async throws
    /// Saves the token as a secret; nil deletes it.
    ///
    /// - Throws: `AppMemoryFailure`.
    func remember(token: String?) async throws
    /// Deletes name, room, role and token completely; the settings are kept.
    ///
    /// - Throws: `AppMemoryFailure`.
    func forgetIdentity() async throws
}

/// A failure to save or delete data.
package struct AppMemoryFailure: Error, Hashable, Sendable {
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
