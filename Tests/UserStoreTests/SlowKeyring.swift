import Synchronization

@testable import UserStore

/// A keyring that stores a secret only after `unlock()`, but deletes secrets at once.
final class SlowKeyring: Keyring {
    private let content = Mutex<String?>(nil)
    private let asked = AsyncStream.makeStream(of: Void.self)
    private let unlocked = AsyncStream.makeStream(of: Void.self)

    /// Waits until the app requests to store a secret.
    func isAsked() async { for await _ in asked.stream { return } }

    func unlock() { unlocked.continuation.yield() }

    var secret: String? { content.withLock { $0 } }

    func secret(named name: String) async -> String? { secret }

    func keep(_ secret: String, named name: String, label: String) async {
        asked.continuation.yield()
        for await _ in unlocked.stream { break }
        content.withLock { $0 = secret }
    }

    func forget(_ name: String) async { content.withLock { $0 = nil } }

    func isLocked() async -> Bool { false }
}
