internal import Synchronization

/// A flag for an action that may happen only once in the process.
final class OnceFlag: Sendable {
    private let taken = Atomic(false)

    /// Sets the flag; true only for the first call.
    func take() -> Bool { !taken.exchange(true, ordering: .relaxed) }
}
