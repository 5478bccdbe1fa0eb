package import Basics
internal import DesktopKit
internal import GLibKit

/// Named secrets in the user's keyring, or in a file that only the user can read if there is no keyring.
///
/// Several processes may use it simultaneously. Its methods block while another process changes the file, so it should
/// be used by an actor with its own thread.
package final class SecretStore {
    /// The file for secrets on computers without a keyring; elsewhere it records the state of the keyring.
    private static let file = "secrets.json"
    private static let marks = "keyring"
    /// The maximum size of the file in bytes; a larger one would not be read.
    private static let longestFile = 65_536
    /// The name of the secret that the mark belongs to in a file of an older version, which has only one mark.
    private static let firstName = "room-token"

    /// The state of a secret in the keyring, as recorded in the file.
    private enum Mark: String {
        case stored = "holds-token"
        /// The secret could not be deleted, and must be deleted later.
        case toForget = "to-forget"
    }

    private let folder: PrivateFolder?
    private let keyring: @Sendable () async -> (any Keyring)?
    /// The number of deletions of each secret; it reveals a deletion while a keyring was being unlocked.
    private var deletions: [String: Int] = [:]
    private let warn: @Sendable (String) -> Void

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - folder: The folder of the file; nil to store secrets only in a keyring.
    ///   - keyring: Returns the user's keyring; nil if there is none.
    ///   - warn: Receives one sentence about each problem that does not make a read fail.
    package init(
        folder: PrivateFolder?,
        keyring: @escaping @Sendable () async -> (any Keyring)?,
        warn: @escaping @Sendable (String) -> Void
    ) {
        (self.folder, self.keyring, self.warn) = (folder, keyring, warn)
    }

    /// The path of the file; nil without a folder.
    package var path: String? { folder?.path(Self.file) }

    /// Reads a secret; nil if there is none or it cannot be read, for example from a locked keyring.
    package func secret(named name: String) async -> String? {
        let content = read()
        if mark(of: name, in: content) == .toForget {
            do { try await delete(name) } catch { warn(Self.sentence(error)) }
            return nil
        }
        if let service = await keyring() {
            do {
                if let secret = try await service.secret(named: name) { return secret }
            } catch { warn("the keyring cannot be read: \(Self.reason(error))") }
        }
        return content[name]?.stringValue
    }

    /// Reads a secret; nil only if there is none.
    ///
    /// - Throws: `StoreFailure`, with the reason `.keyringLocked` if the secret is in a keyring that is locked or not
    ///   available.
    package func knownSecret(named name: String) async throws(StoreFailure) -> String? {
        let content = try knownContent()
        if mark(of: name, in: content) == .toForget {
            try await delete(name)
            return nil
        }
        let service = await keyring()
        if let service {
            do {
                if let secret = try await service.secret(named: name) { return secret }
            } catch { throw Self.failure("the keyring cannot be read", error) }
        }
        guard mark(of: name, in: content) == .stored else { return content[name]?.stringValue }
        guard await service?.isLocked() ?? true else {
            // The user may have deleted the secret with another program, or may have just unlocked the keyring.
            do { return try await service?.secret(named: name) } catch {
                throw Self.failure("the keyring cannot be read", error)
            }
        }
        throw StoreFailure(
            reason: .keyringLocked,
            message: "the \(name) is in a keyring that is \(service == nil ? "not available" : "locked")",
            hint: "unlock the keyring, or start the program in a session with that keyring"
        )
    }

    /// Stores a secret, unless it is deleted while the user is asked to unlock the keyring.
    ///
    /// - Parameters:
    ///   - secret: The text to store, without null characters.
    ///   - name: The name for later lookups; any but `keyring`.
    ///   - label: The description that the user sees in the keyring.
    /// - Throws: `StoreFailure`.
    package func keep(_ secret: String, named name: String, label: String) async throws(StoreFailure) {
        precondition(name != Self.marks, "the name “\(Self.marks)” is reserved for the state of the keyring")
        guard !secret.utf8.contains(0) else {
            throw StoreFailure(message: "the \(label) contains a NUL character", hint: "enter it again")
        }
        let before = deletions[name]
        let service = await keyring()
        guard deletions[name] == before else { return }
        guard let service else {
            // A later read would prefer the older secret in the keyring.
            guard folder == nil || mark(of: name, in: read()) != .stored else {
                throw StoreFailure(
                    reason: .keyringLocked,
                    message: "the keyring that stores the \(label) is not available",
                    hint: "start and unlock the keyring"
                )
            }
            return try change { content in
                content[name] = .string(secret)
                Self.set(nil, of: name, in: &content)
            }
        }
        do {
            try await service.keep(secret, named: name, label: "callrunner: \(label)")
        } catch { throw Self.failure("the keyring cannot store the \(label)", error) }
        guard deletions[name] == before else { return try await delete(name) }
        // The mark replaces the secret that the file may hold.
        if folder != nil, mark(of: name, in: read()) != .stored { try mark(name, as: .stored) }
    }

    /// Deletes a secret everywhere.
    ///
    /// If the keyring cannot delete it now, later calls of `secret(named:)` try again, provided that the file
    /// could record this.
    ///
    /// - Throws: `StoreFailure`, with the reason `.keyringLocked` if the secret may remain in a keyring that
    ///   is locked or not available.
    package func forget(_ name: String) async throws(StoreFailure) {
        deletions[name, default: 0] += 1
        try await delete(name)
    }

    private func delete(_ name: String) async throws(StoreFailure) {
        // Without a folder it is unknown whether the keyring holds the secret.
        let mayBeKept = folder == nil || mark(of: name, in: read()) != nil
        if let service = await keyring() {
            do { try await service.forget(name) } catch is KeyringLocked where !mayBeKept {
                // The locked keyring was never given the secret.
            } catch {
                try? mark(name, as: .toForget)
                throw Self.failure("the keyring cannot delete the \(name)", error)
            }
        } else if mayBeKept, folder != nil {
            try? mark(name, as: .toForget)
            throw StoreFailure(
                reason: .keyringLocked,
                message: "the \(name) cannot be deleted: the keyring that stores it is not available",
                hint: "start the app again in a session with that keyring"
            )
        }
        guard let folder, FileStatus(path: folder.path) != nil else { return }
        try change { content in
            content[name] = nil
            Self.set(nil, of: name, in: &content)
        }
    }

    // MARK: - The file

    private func mark(of name: String, in content: JSONObject) -> Mark? {
        switch content[Self.marks] {
        case .string(let text)? where name == Self.firstName: Mark(rawValue: text)
        case .object(let marks)?: marks[name]?.stringValue.flatMap(Mark.init)
        default: nil
        }
    }

    private func mark(_ name: String, as mark: Mark) throws(StoreFailure) {
        try change { content in
            content[name] = nil
            Self.set(mark, of: name, in: &content)
        }
    }

    private static func set(_ mark: Mark?, of name: String, in content: inout JSONObject) {
        var marks: JSONObject =
            switch content[Self.marks] {
            case .string(let text)?: [firstName: .string(text)]
            case .object(let marks)?: marks
            default: [:]
            }
        marks[name] = mark.map { .string($0.rawValue) }
        content[Self.marks] = marks.isEmpty ? nil : .object(marks)
    }

    /// Reads the file, changes its content and replaces it, or removes it if nothing is left.
    private func change(_ body: (inout JSONObject) -> Void) throws(StoreFailure) {
        guard let folder else {
            throw StoreFailure(
                message: "nothing can be saved: there is no configuration folder",
                hint: "set HOME or XDG_CONFIG_HOME"
            )
        }
        let lock = try FolderLock(folder)
        // An unreadable file is not replaced, because it may hold other secrets.
        var content = Self.parse(try folder.read(Self.file, limit: Self.longestFile) ?? []) ?? [:]
        body(&content)
        if content.isEmpty {
            try folder.remove(Self.file)
        } else {
            // Partial copies of the file may contain a deleted secret.
            folder.removeParts(of: Self.file)
            let bytes = Array((JSON.object(content).serialized() + "\n").utf8)
            guard bytes.count <= Self.longestFile else {
                throw StoreFailure(
                    message: "\(folder.path(Self.file)) would be larger than 64 KiB",
                    hint: "save a shorter secret"
                )
            }
            try folder.write(bytes, to: Self.file)
        }
        _ = consume lock
    }

    /// Reads the file.
    ///
    /// - Throws: `StoreFailure` if it cannot be read, or is damaged.
    private func knownContent() throws(StoreFailure) -> JSONObject {
        guard let folder, let bytes = try folder.read(Self.file, limit: Self.longestFile) else { return [:] }
        if let content = Self.parse(bytes) { return content }
        throw StoreFailure(
            message: "\(folder.path(Self.file)) is not a JSON object",
            hint: "restore the file, or remove it and sign in again"
        )
    }

    private func read() -> JSONObject {
        do throws(StoreFailure) {
            guard let bytes = try folder?.read(Self.file, limit: Self.longestFile) else { return [:] }
            if let object = Self.parse(bytes) { return object }
            warn("\(folder?.path(Self.file) ?? Self.file) is ignored: it is not a JSON object")
        } catch { warn(error.message) }
        return [:]
    }

    private static func parse(_ bytes: [UInt8]) -> JSONObject? { try? JSON(parsing: bytes).objectValue }

    // MARK: - Failures

    private static func failure(_ what: String, _ error: any Error) -> StoreFailure {
        StoreFailure(
            reason: error is KeyringLocked ? .keyringLocked : .other,
            message: "\(what): \(reason(error))",
            hint: "check that the keyring is unlocked"
        )
    }

    private static func sentence(_ error: any Error) -> String {
        (error as? StoreFailure)?.message ?? reason(error)
    }

    private static func reason(_ error: any Error) -> String {
        error is CancellationError ? "it does not answer" : "\(error)"
    }
}
