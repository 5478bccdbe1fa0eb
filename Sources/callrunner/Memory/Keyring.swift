internal import DesktopKit

/// A store for the user's secrets.
protocol Keyring: Sendable {
    func secret(named name: String) async throws -> String?
    /// Stores a secret.
    ///
    /// - Throws: An error; also if storing takes too long, because a person may be asked to unlock the
    ///   keyring.
    func keep(_ secret: String, named name: String, label: String) async throws
    /// Deletes a secret.
    ///
    /// - Throws: `KeyringLocked` if it is unknown whether the secret exists.
    func forget(_ name: String) async throws
}

extension SecretService: Keyring {}
