internal import Synchronization

/// A queue for one reader, with limits for the number and the total size of waiting elements.
///
/// A server may send faster than the reader reads. An element beyond a limit is refused; the caller of `send` then
/// closes the connection.
package final class BoundedQueue<Element: Sendable>: AsyncSequence, Sendable {
    package typealias Failure = Never

    private struct State {
        var elements: [(element: Element?, size: Int)] = []
        /// The index of the first element that waits; those before it were read.
        var first = 0
        var size = 0
        var reader: CheckedContinuation<Element?, Never>?
        var isFinished = false

        var count: Int { elements.count - first }

        mutating func take() -> Element? {
            guard first < elements.count else { return nil }
            let (element, size) = elements[first]
            // The element is released now; its place in the array is removed later.
            elements[first].element = nil
            self.size -= size
            first += 1
            // The places of elements that were read are removed together, so that reading takes constant time on
            // average.
            if first == elements.count || first > 256 {
                elements.removeFirst(first)
                first = 0
            }
            return element
        }
    }

    private let state = Mutex(State())
    private let countLimit: Int
    private let sizeLimit: Int

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - countLimit: The maximum number of waiting elements.
    ///   - sizeLimit: The maximum total size of waiting elements in bytes; a single waiting element may exceed it.
    package init(countLimit: Int, sizeLimit: Int) {
        (self.countLimit, self.sizeLimit) = (countLimit, sizeLimit)
    }

    /// Adds an element; callable on any thread, never blocks.
    ///
    /// Elements without a size are never refused, because callers send only few of them.
    /// - Returns: False if the element was refused because a limit was reached.
    package func send(_ element: Element, size: Int? = nil) -> Bool {
        let (reader, isAccepted) = state.withLock { state -> (CheckedContinuation<Element?, Never>?, Bool) in
            guard !state.isFinished else { return (nil, true) }
            if let reader = state.reader.take() { return (reader, true) }
            if let size {
                let isFull = state.count >= countLimit || state.size + size > sizeLimit
                guard state.count == 0 || !isFull else { return (nil, false) }
            }
            state.elements.append((element, size ?? 0))
            state.size += size ?? 0
            return (nil, true)
        }
        reader?.resume(returning: element)
        return isAccepted
    }

    /// Ends the sequence after the waiting elements; cancellation of the reader's task does the same.
    package func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume(returning: nil)
    }

    package func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                let ready = state.withLock { state -> Element?? in
                    if let element = state.take() { return element }
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

    package func makeAsyncIterator() -> Iterator { Iterator(queue: self) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let queue: BoundedQueue

        package mutating func next() async -> Element? { await queue.next() }

        package mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await queue.next(isolation: actor)
        }
    }
}
