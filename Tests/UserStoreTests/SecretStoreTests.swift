import Basics
import Foundation
import GLibKit
import Synchronization
import Testing

@testable import DesktopKit
@testable import UserStore

@Suite("Secret store", .timeLimit(.minutes(4)))
@DiskActor
struct SecretStoreTests {
    /// An actor that owns a store, as the store demands.
    private actor Owner {
        private let executor: GLibExecutor
        private let store: SecretStore

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        /// Creates a store on the thread of all tests, unless it has one of its own.
        init(
            _ folder: PrivateFolder?,
            _ keyring: (any Keyring)? = nil,
            on executor: GLibExecutor = DiskActor.executor
        ) {
            self.executor = executor
            store = SecretStore(folder: folder, keyring: { keyring }, warn: { _ in })
        }

        func secret(_ name: String) async -> String? { await store.secret(named: name) }

        func knownSecret(_ name: String) async throws -> String? { try await store.knownSecret(named: name) }

        func keep(_ secret: String, _ name: String) async throws {
            try await store.keep(secret, named: name, label: "test secret")
        }

        func forget(_ name: String) async throws { try await store.forget(name) }
    }

    /// A keyring that is locked for as long as the test lasts.
    private struct LockedKeyring: Keyring {
        func secret(named name: String) async -> String? { nil }
        func keep(_ secret: String, named name: String, label: String) async throws { throw KeyringLocked() }
        func forget(_ name: String) async throws { throw KeyringLocked() }
        func isLocked() async -> Bool { true }
    }

    /// A keyring that can be locked.
    private final class LockableKeyring: Keyring {
        private let content = Mutex<[String: String]>([:])
        let lock = Mutex(false)

        func secret(named name: String) async -> String? {
            await isLocked() ? nil : content.withLock { $0[name] }
        }
        func keep(_ secret: String, named name: String, label: String) async throws {
            content.withLock { $0[name] = secret }
        }
        func forget(_ name: String) async throws { content.withLock { $0[name] = nil } }
        func isLocked() async -> Bool { lock.withLock(\.self) }
    }

    private func text(_ folder: PrivateFolder) throws -> String? {
        try folder.read("secrets.json").map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Without a keyring, secrets are stored in a file under their names")
    func file() async throws {
        try await withFolder { folder in
            let owner = Owner(folder)
            try await owner.keep("one", "a")
            try await owner.keep("two", "b")
            let next = Owner(folder)
            #expect(await next.secret("a") == "one")
            #expect(await next.secret("b") == "two")
            #expect(await next.secret("c") == nil)
            try await next.forget("a")
            #expect(await owner.secret("a") == nil)
            #expect(await owner.secret("b") == "two")
            try await next.forget("b")
            #expect(folder.names.isEmpty)
        }
    }

    @Test("A secret in a locked or absent keyring is not treated as missing")
    func lockedSecret() async throws {
        try await withFolder { folder in
            let keyring = LockableKeyring()
            let owner = Owner(folder, keyring)
            #expect(try await owner.knownSecret("a") == nil)
            try await owner.keep("one", "a")
            #expect(try await owner.knownSecret("a") == "one")
            keyring.lock.withLock { $0 = true }
            let locked = await #expect(throws: StoreFailure.self) { try await owner.knownSecret("a") }
            #expect(locked?.reason == .keyringLocked)
            #expect(try await owner.knownSecret("b") == nil)
            let elsewhere = Owner(folder)
            let absent = await #expect(throws: StoreFailure.self) { try await elsewhere.knownSecret("a") }
            #expect(absent?.reason == .keyringLocked)
            keyring.lock.withLock { $0 = false }
            try await owner.forget("a")
            #expect(try await owner.knownSecret("a") == nil)
        }
    }

    @Test("Two stores that write at the same time lose no secret")
    func concurrentWriters() async throws {
        try await withFolder { folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        let owner = Owner(folder, on: GLibExecutor(threadName: "test-disk"))
                        for number in 0..<25 { try await owner.keep("\(number)", "\(writer)-\(number)") }
                    }
                }
                try await group.waitForAll()
            }
            let owner = Owner(folder)
            for writer in 0..<4 {
                for number in 0..<25 { #expect(await owner.secret("\(writer)-\(number)") == "\(number)") }
            }
        }
    }

    @Test("With a keyring, the file holds no secret")
    func keyring() async throws {
        try await withFolder { folder in
            let keyring = SlowKeyring()
            keyring.unlock()
            let owner = Owner(folder, keyring)
            try await owner.keep("hush", "a")
            #expect(keyring.secret == "hush")
            #expect(try text(folder)?.contains("hush") == false)
            #expect(await owner.secret("a") == "hush")
            try await owner.forget("a")
            #expect(keyring.secret == nil && folder.names.isEmpty)
        }
    }

    @Test("If a slow keyring stores a secret after its deletion, the secret is deleted again")
    func lateUnlocking() async throws {
        try await withFolder { folder in
            let keyring = SlowKeyring()
            let owner = Owner(folder, keyring)
            async let kept: Void = owner.keep("hush", "a")
            await keyring.isAsked()
            try await owner.forget("a")
            keyring.unlock()
            try await kept
            #expect(keyring.secret == nil)
            #expect(await owner.secret("a") == nil)
            #expect(folder.names.isEmpty)
        }
    }

    @Test("A secret that a keyring cannot delete is reported, is not read again, and is deleted later")
    func lockedKeyring() async throws {
        try await withFolder { folder in
            let keyring = SlowKeyring()
            keyring.unlock()
            try await Owner(folder, keyring).keep("hush", "a")
            let failure = try await #require(throws: StoreFailure.self) {
                try await Owner(folder, LockedKeyring()).forget("a")
            }
            #expect(failure.reason == .keyringLocked)
            await #expect(throws: StoreFailure.self) { try await Owner(folder).forget("a") }
            #expect(await Owner(folder, keyring).secret("a") == nil)
            #expect(keyring.secret == nil)
        }
    }

    @Test("An unreadable file of secrets is reported and not replaced")
    func unreadable() async throws {
        try await withFolder { folder in
            let large = [UInt8](repeating: UInt8(ascii: " "), count: 70_000)
            try folder.write(large, to: "secrets.json")
            await #expect(throws: StoreFailure.self) { try await Owner(folder).keep("one", "a") }
            await #expect(throws: StoreFailure.self) { try await Owner(folder).forget("a") }
            #expect(try folder.read("secrets.json", limit: 70_000) == large)
        }
    }

    @Test("A secret that would make the file too large to be read is refused, and the others remain")
    func tooLarge() async throws {
        try await withFolder { folder in
            let owner = Owner(folder)
            try await owner.keep("one", "a")
            await #expect(throws: StoreFailure.self) {
                try await owner.keep(String(repeating: "x", count: 65_600), "b")
            }
            #expect(await owner.secret("a") == "one")
            #expect(await owner.secret("b") == nil)
        }
    }

    @Test("Deleting a secret also deletes partial copies of the file, while the other secrets remain")
    func partialCopies() async throws {
        try await withFolder { folder in
            let owner = Owner(folder)
            try await owner.keep("one", "a")
            try await owner.keep("two", "b")
            try folder.write(Array(#"{"a":"one"}"#.utf8), to: ".secrets.json.9")
            try await owner.forget("a")
            #expect(folder.names == ["secrets.json"])
            #expect(await owner.secret("b") == "two")
        }
    }

    @Test("In a file of an older version, the note of a secret in the keyring applies to the room token")
    func olderVersion() async throws {
        try await withFolder { folder in
            try folder.write(Array(#"{"keyring":"holds-token"}"#.utf8), to: "secrets.json")
            let keyring = SlowKeyring()
            keyring.unlock()
            try await Owner(folder, keyring).keep("new", "a")
            #expect(try text(folder)?.contains(#""room-token":"holds-token""#) == true)
            // Without a mark, a locked keyring is known to hold no such secret.
            try await Owner(folder, LockedKeyring()).forget("c")
            await #expect(throws: StoreFailure.self) {
                try await Owner(folder, LockedKeyring()).forget("room-token")
            }
        }
    }

    @Test("A secret with a null character, and a store without a folder, are refused")
    func refused() async throws {
        try await withFolder { folder in
            await #expect(throws: StoreFailure.self) { try await Owner(folder).keep("a\u{0}b", "a") }
        }
        await #expect(throws: StoreFailure.self) { try await Owner(nil).keep("a", "a") }
        #expect(await Owner(nil).secret("a") == nil)
        try await Owner(nil).forget("a")
    }
}
