internal import Synchronization

/// An observable state; each watcher receives the current value, and after changes the newest value.
package final class StateStore<State: Equatable & Sendable>: Sendable {
    private struct Watcher {
        let continuation: AsyncStream<State>.Continuation
        let end: End
    }

    /// Whether a watcher has ended.
    private final class End: Sendable {
        let isReached = Atomic(false)
    }

    private struct Content {
        var state: State
        var watchers: [Watcher] = []
        var isFinished = false

        mutating func removeEnded() {
            watchers.removeAll { $0.end.isReached.load(ordering: .relaxed) }
        }
    }

    private let content: Mutex<Content>

    package init(_ state: State) {
        content = Mutex(Content(state: state))
    }

    package var state: State { content.withLock { $0.state } }

    /// A stream for one more watcher; it may skip states, but always delivers the last one.
    package var states: AsyncStream<State> {
        let (stream, watcher) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        let end = End()
        // Without the lock, because a task that is being cancelled calls this while it cannot be resumed, and `update`
        // resumes tasks with the lock.
        watcher.onTermination = { _ in end.isReached.store(true, ordering: .relaxed) }
        let isFinished = content.withLock { content in
            watcher.yield(content.state)
            content.removeEnded()
            if !content.isFinished { content.watchers.append(Watcher(continuation: watcher, end: end)) }
            return content.isFinished
        }
        if isFinished { watcher.finish() }
        return stream
    }

    package func update(_ change: (inout State) -> Void) {
        content.withLock { content in
            let before = content.state
            change(&content.state)
            guard content.state != before else { return }
            content.removeEnded()
            for watcher in content.watchers { watcher.continuation.yield(content.state) }
        }
    }

    /// Finishes every stream; the state can still be read.
    package func finish() {
        let watchers = content.withLock { content in
            defer { content.watchers = [] }
            content.isFinished = true
            return content.watchers
        }
        for watcher in watchers { watcher.continuation.finish() }
    }
}
