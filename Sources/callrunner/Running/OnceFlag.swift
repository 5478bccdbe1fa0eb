internal import Synchronization

/// Something that may happen once in the process.
final class OnceFlag: Sendable {
    private let taken = Atomic(false)

    /// Whether this is the first time.
    func take() -> Bool { !taken.exchange(true, ordering: .relaxed) }
}
