internal import Synchronization

/// Runs its action at the first of many events, from whatever thread that comes.
final class FirstOccurrence: Sendable {
    private let hasHappened = Atomic(false)
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func happened() {
        if hasHappened.load(ordering: .relaxed) { return }
        if !hasHappened.exchange(true, ordering: .relaxed) { action() }
    }
}
