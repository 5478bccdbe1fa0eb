package import DesktopKit

/// A store for the user's secrets.
package protocol Keyring: Sendable {
    /// Reads a secret; nil if there is none or the keyring is locked.
    func secret(named name: String) async throws -> String?
    /// Stores a secret.
    ///
    /// - Throws: An error if the secret cannot be stored, or if the user, who may be asked to unlock the
    ///   keyring, does not respond in time.
    func keep(_ secret: String, named name: String, label: String) async throws
    /// Deletes a secret.
    ///
    /// - Throws: `KeyringLocked` if the keyring is locked and may contain the secret.
    func forget(_ name: String) async throws
    /// Whether the keyring is locked, so that its secrets cannot be found.
    func isLocked() async -> Bool
}

extension SecretService: Keyring {}
