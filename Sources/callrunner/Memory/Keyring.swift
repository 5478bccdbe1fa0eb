internal import DesktopKit

/// Where a user's secrets are.
protocol Keyring: Sendable {
    func secret(named name: String) async throws -> String?
    /// - Throws: also where it takes too long; a person may be asked to unlock it.
    func keep(_ secret: String, named name: String, label: String) async throws
    /// - Throws: `KeyringLocked` where nobody can tell whether something is kept.
    func forget(_ name: String) async throws
}

extension SecretService: Keyring {}
