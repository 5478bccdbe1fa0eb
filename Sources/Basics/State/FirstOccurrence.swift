internal import Synchronization

/// An action that runs only on the first of several events, which may occur on any thread.
package final class FirstOccurrence: Sendable {
    private let hasHappened = Atomic(false)
    private let action: @Sendable () -> Void

    package init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    package func happened() {
        if hasHappened.load(ordering: .relaxed) { return }
        if !hasHappened.exchange(true, ordering: .relaxed) { action() }
    }
}
