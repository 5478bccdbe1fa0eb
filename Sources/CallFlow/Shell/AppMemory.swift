/// What outlives a run of the app.
///
/// What cannot be read counts as forgotten: it must keep nobody from making a call.
package protocol AppMemory: Sendable {
    func identity() async -> RememberedIdentity?
    func settings() async -> AppSettings
    /// The token that rooms are joined with, where the server asks for one.
    func token() async -> String?

    /// - Throws: `AppMemoryFailure`.
    func remember(_ identity: RememberedIdentity) async throws
    /// - Throws: `AppMemoryFailure`.
    func remember(_ settings: AppSettings) async throws
    /// Keeps the token as a secret; nil forgets it.
    ///
    /// - Throws: `AppMemoryFailure`.
    func remember(token: String?) async throws
    /// Leaves no trace of name, room, role and token; the settings stay.
    ///
    /// - Throws: `AppMemoryFailure`.
    func forgetIdentity() async throws
}

/// What could not be remembered or forgotten.
package struct AppMemoryFailure: Error, Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable {
        /// A secret cannot be forgotten before somebody unlocks the keyring.
        case keyringLocked = "keyring-locked"
        case other
    }

    package let reason: Reason
    /// What failed and why; no full stop at the end.
    package let message: String
    package let hint: String

    package init(reason: Reason = .other, message: String, hint: String) {
        self.reason = reason
        self.message = message
        self.hint = hint
    }
}
