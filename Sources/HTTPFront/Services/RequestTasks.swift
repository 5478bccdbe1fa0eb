internal import Synchronization

/// The bounded queue of work that the event loop passes to tasks of the services.
package struct RequestTasks: Sendable {
    /// The maximum length of the queue.
    package static let capacity = 1024

    package typealias Work = @Sendable () async -> Void

    private struct Item: Sendable {
        let work: Work
        let task: RequestTask
    }

    private let items: AsyncStream<Item>
    private let input: AsyncStream<Item>.Continuation

    package init() {
        (items, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    }

    /// Queues work; nil if the queue is full.
    func start(_ work: @escaping Work) -> RequestTask? {
        let task = RequestTask()
        if case .enqueued = input.yield(Item(work: work, task: task)) { return task }
        return nil
    }

    /// Runs each item of queued work in its own task, until the current task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await item in items { group.addTask { await item.task.run(item.work) } }
        }
    }
}

/// A task of `RequestTasks`, which can be cancelled on its own.
final class RequestTask: Sendable {
    private enum State {
        case waiting, cancelled
        case running(Task<Void, Never>)
    }

    private let state = Mutex(State.waiting)

    func cancel() {
        state.withLock { state in
            if case .running(let task) = state { task.cancel() }
            state = .cancelled
        }
    }

    fileprivate func run(_ work: @escaping RequestTasks.Work) async {
        let task = Task { await work() }
        state.withLock { state in
            if case .cancelled = state { task.cancel() } else { state = .running(task) }
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
