internal import Synchronization

/// An observable state; each watcher receives the current value, and after changes the newest value.
package final class StateStore<State: Equatable & Sendable>: Sendable {
    private struct Content {
        var state: State
        var watchers: [Int: AsyncStream<State>.Continuation] = [:]
        var lastWatcher = 0
        var isFinished = false
    }

    private let content: Mutex<Content>

    package init(_ state: State) {
        content = Mutex(Content(state: state))
    }

    package var state: State { content.withLock { $0.state } }

    /// A stream for one more watcher; it may skip states, but always delivers the last one.
    package var states: AsyncStream<State> {
        let (stream, watcher) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        let id: Int? = content.withLock { content in
            watcher.yield(content.state)
            guard !content.isFinished else { return nil }
            content.lastWatcher += 1
            content.watchers[content.lastWatcher] = watcher
            return content.lastWatcher
        }
        guard let id else {
            watcher.finish()
            return stream
        }
        watcher.onTermination = { [weak self] _ in
            self?.content.withLock { _ = $0.watchers.removeValue(forKey: id) }
        }
        return stream
    }

    package func update(_ change: (inout State) -> Void) {
        content.withLock { content in
            let before = content.state
            change(&content.state)
            guard content.state != before else { return }
            for watcher in content.watchers.values { watcher.yield(content.state) }
        }
    }

    /// Finishes every stream; the state can still be read.
    package func finish() {
        // The streams are finished outside the lock, because `onTermination` acquires it.
        let watchers = content.withLock { content in
            defer { content.watchers = [:] }
            content.isFinished = true
            return content.watchers.values
        }
        for watcher in watchers { watcher.finish() }
    }
}
