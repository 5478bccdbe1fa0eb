internal import Basics

/// The persistent data of the app.
///
/// Unreadable data counts as missing, so that it cannot prevent calls.
package protocol AppMemory: Sendable {
    func identity() async -> RememberedIdentity?
    func settings() async -> AppSettings
    /// Reads the saved token for joining rooms, if there is one.
    func token() async -> String?
    /// The past calls, the newest first.
    func pastCalls() async -> [PastCall]

    /// Saves the identity.
    ///
    /// - Throws: `StoreFailure`.
    func remember(_ identity: RememberedIdentity) async throws
    /// Saves the settings.
    ///
    /// - Throws: `StoreFailure`.
    func remember(_ settings: AppSettings) async throws
    /// Saves the token as a secret; nil deletes it.
    ///
    /// - Throws: `StoreFailure`.
    func remember(token: String?) async throws
    /// Saves a call, as `PastCall.added(to:)` describes.
    ///
    /// - Throws: `StoreFailure`.
    func remember(_ call: PastCall) async throws
    /// Deletes the past calls.
    ///
    /// - Throws: `StoreFailure`.
    func forgetCalls() async throws
    /// Deletes name, room, role, token and past calls completely; the settings are kept.
    ///
    /// - Throws: `StoreFailure`.
    func forgetIdentity() async throws
}
