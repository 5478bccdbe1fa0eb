internal import ChatCore
internal import Synchronization

/// The queue of pictures to fetch; the newest is fetched first, because it is in view.
final class PictureQueue: Sendable {
    /// The maximum number of pictures that are fetched at the same time.
    static let mostWorkers = 3

    private struct State {
        var waiting: [ChatMedia] = []
        var workers = 0
    }

    private let state = Mutex(State())

    /// Adds a picture; returns whether the caller must start another worker.
    func add(_ media: ChatMedia) -> Bool {
        state.withLock { state in
            state.waiting.append(media)
            guard state.workers < Self.mostWorkers else { return false }
            state.workers += 1
            return true
        }
    }

    /// Removes and returns the next picture; nil if the queue is empty, in which case the worker must end.
    func next() -> ChatMedia? {
        state.withLock { state in
            let media = state.waiting.popLast()
            if media == nil { state.workers -= 1 }
            return media
        }
    }
}
