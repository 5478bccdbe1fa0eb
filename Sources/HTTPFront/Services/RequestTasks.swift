/// The queue of work from the event loop to tasks of the services, limited in length.
package struct RequestTasks: Sendable {
    /// The maximum length of the queue.
    package static let capacity = 1024

    package typealias Work = @Sendable () async -> Void

    private let items: AsyncStream<Work>
    private let input: AsyncStream<Work>.Continuation

    package init() {
        (items, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    }

    /// Queues work; false if the queue is full.
    func start(_ work: @escaping Work) -> Bool {
        if case .enqueued = input.yield(work) { true } else { false }
    }

    /// Does the queued work, each in its own task, until the current task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await work in items { group.addTask { await work() } }
        }
    }
}
