package import AccountsCore
package import Basics
internal import GLibKit
package import UserStore

/// A persistent store for a user's tokens, shared by all processes of the user.
package protocol TokenStore: Sendable {
    /// Locks the tokens against other processes, until `unlock()` is called.
    func lock() async throws(StoreFailure)

    func unlock() async

    /// Reads the tokens; nil only if there are none, or none that are valid.
    func load() async throws(StoreFailure) -> AccountTokens?

    func keep(_ tokens: AccountTokens) async throws(StoreFailure)

    func delete() async throws(StoreFailure)
}

/// A store for tokens in the user's keyring, or in a file that only the user can read.
///
/// It runs on its own thread, because waiting for other processes blocks the thread.
package actor SecretTokenStore: TokenStore {
    private let executor = GLibExecutor(threadName: "accounts")
    private let folder: PrivateFolder?
    private let secrets: SecretStore
    /// The name of the secret; each API has its own.
    private let name: String
    private var lockOfFolder: FolderLock?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the store of the tokens for the API at `base`.
    ///
    /// - Parameters:
    ///   - base: The URL of the API.
    ///   - folder: The folder of the file and of the lock; nil to store tokens only in a keyring.
    ///   - keyring: Returns the user's keyring; nil if there is none.
    ///   - warn: Receives one sentence about each problem that does not make a read fail.
    package init(
        _ base: String,
        folder: PrivateFolder?,
        keyring: @escaping @Sendable () async -> (any Keyring)?,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.folder = folder?.folder("account")
        secrets = SecretStore(folder: folder, keyring: keyring, warn: warn)
        name = "account \(base)"
    }

    package func lock() async throws(StoreFailure) {
        guard let folder, lockOfFolder == nil else { return }
        let end = ContinuousClock.now + Self.longestWait
        // `flock` cannot wait with a time limit.
        while true {
            lockOfFolder = try FolderLock(trying: folder)
            guard lockOfFolder == nil else { return }
            let isCancelled = (try? await Task.sleep(for: Self.pause)) == nil
            guard !isCancelled, ContinuousClock.now < end else { break }
        }
        throw StoreFailure(
            message: "another program has locked \(folder.path) for too long",
            hint: "end that program, or answer its question about the keyring"
        )
    }

    /// The maximum time to wait for another process to release the lock; longer than a refresh takes.
    private static let longestWait = Duration.seconds(20)
    private static let pause = Duration.milliseconds(20)

    package func unlock() async { lockOfFolder = nil }

    package func load() async throws(StoreFailure) -> AccountTokens? {
        guard let text = try await secrets.knownSecret(named: name) else { return nil }
        return (try? JSON(parsing: Array(text.utf8))).flatMap { AccountTokens($0) }
    }

    package func keep(_ tokens: AccountTokens) async throws(StoreFailure) {
        try await secrets.keep(tokens.json.serialized(), named: name, label: "account")
    }

    package func delete() async throws(StoreFailure) { try await secrets.forget(name) }

    /// Calls `onChange` at the start, and when any process may have stored or deleted tokens, until the task is
    /// cancelled.
    ///
    /// A keyring reports no changes. However, the file that is used in addition to it changes whenever a user signs
    /// out, or signs in while nobody was signed in.
    package func followChanges(_ onChange: @escaping @Sendable () -> Void) async {
        guard let path = secrets.path else { return }
        // Changes before the start of the watch are reported, too.
        await FileChanges.follow(path, onStart: onChange, onChange: onChange)
    }

    // MARK: The time between a code and a registration

    /// The name of the secret that proves the verification of a phone.
    private var registrationName: String { "registration \(name)" }

    /// Stores the proof that a phone was verified, for a registration by a later process.
    package func keep(_ registration: Registration) async throws(StoreFailure) {
        let json: JSON = [
            "phone": .string(registration.phone),
            "token": registration.token.map { .string($0.value) } ?? .null,
        ]
        try await secrets.keep(json.serialized(), named: registrationName, label: "registration")
    }

    /// Reads the proof that a phone was verified; nil if there is none.
    package func registration() async throws(StoreFailure) -> Registration? {
        guard let text = try await secrets.knownSecret(named: registrationName),
            let json = try? JSON(parsing: Array(text.utf8)), let phone = json["phone"]?.stringValue
        else { return nil }
        return Registration(phone: phone, token: json["token"]?.stringValue.map { Secret($0) })
    }

    package func forgetRegistration() async throws(StoreFailure) {
        try await secrets.forget(registrationName)
    }

    /// The proof that a phone was verified.
    package struct Registration: Hashable, Sendable {
        package let phone: String
        /// The token that the server has issued for the registration, if any.
        package let token: Secret?

        package init(phone: String, token: Secret?) { (self.phone, self.token) = (phone, token) }
    }
}
