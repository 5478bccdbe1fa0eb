internal import Synchronization

/// A bounded queue with one reader; the reader is resumed directly on its own executor.
///
/// The reader of an `AsyncStream` first hops to the shared thread pool for each element, which wakes two
/// further threads. For events that occur many times a second, this costs more than handling them.
package final class Mailbox<Element: Sendable>: AsyncSequence, Sendable {
    package typealias Failure = Never

    private struct State {
        var elements: [Element] = []
        var reader: CheckedContinuation<Element?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// Creates an empty mailbox.
    ///
    /// - Parameter capacity: The maximum number of waiting elements; beyond it, the oldest element is
    ///   dropped.
    package init(capacity: Int) { self.capacity = capacity }

    /// Adds an element; callable on any thread, never blocks.
    package func send(_ element: Element) {
        let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.isFinished else { return nil }
            if let reader = state.reader.take() { return reader }
            state.elements.append(element)
            if state.elements.count > capacity { state.elements.removeFirst() }
            return nil
        }
        reader?.resume(returning: element)
    }

    /// Ends the sequence after the waiting elements; cancellation of the reader's task does the same.
    package func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume(returning: nil)
    }

    package func makeAsyncIterator() -> Iterator { Iterator(mailbox: self) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let mailbox: Mailbox

        package mutating func next() async -> Element? { await mailbox.next() }

        package mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await mailbox.next(isolation: actor)
        }
    }

    private func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                let ready = state.withLock { state -> Element?? in
                    if !state.elements.isEmpty { return state.elements.removeFirst() }
                    if state.isFinished { return .some(nil) }
                    state.reader = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            finish()
        }
    }
}
