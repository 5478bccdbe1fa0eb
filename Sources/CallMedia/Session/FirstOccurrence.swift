internal import Synchronization

/// An action that runs only on the first of several events, which may occur on any thread.
final class FirstOccurrence: Sendable {
    private let hasHappened = Atomic(false)
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func happened() {
        if hasHappened.load(ordering: .relaxed) { return }
        if !hasHappened.exchange(true, ordering: .relaxed) { action() }
    }
}
