internal import Synchronization

/// Runs its action on the first of many events, whichever thread it occurs on.
final class FirstOccurrence: Sendable {
    private let hasHappened = Atomic(false)
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func happened() {
        if hasHappened.load(ordering: .relaxed) { return }
        if !hasHappened.exchange(true, ordering: .relaxed) { action() }
    }
}
