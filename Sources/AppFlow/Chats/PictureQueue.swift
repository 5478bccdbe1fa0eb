internal import ChatCore
internal import Synchronization

/// The pictures that wait to be fetched, of which the newest is next, because it is in view.
final class PictureQueue: Sendable {
    /// The maximum number of pictures that are fetched at the same time.
    static let mostWorkers = 3

    private struct State {
        var waiting: [ChatMedia] = []
        var workers = 0
    }

    private let state = Mutex(State())

    /// Adds a picture; returns whether another worker is to be started.
    func add(_ media: ChatMedia) -> Bool {
        state.withLock { state in
            state.waiting.append(media)
            guard state.workers < Self.mostWorkers else { return false }
            state.workers += 1
            return true
        }
    }

    /// Takes the next picture for a worker; without one, the worker ends.
    func next() -> ChatMedia? {
        state.withLock { state in
            let media = state.waiting.popLast()
            if media == nil { state.workers -= 1 }
            return media
        }
    }
}
