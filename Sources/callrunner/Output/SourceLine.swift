internal import Synchronization

/// The line about the source of a call, which waits until the room is joined, because nothing is sent before.
final class SourceLine: Sendable {
    private enum State {
        case waiting(Line?)
        case released
    }

    private let state = Mutex(State.waiting(nil))

    /// Returns the line if it is to be written now, else keeps it.
    func pass(_ line: Line) -> Line? {
        state.withLock { state in
            if case .released = state { return line }
            state = .waiting(line)
            return nil
        }
    }

    /// Returns the line that has waited, if any; further ones do not wait.
    func release() -> Line? {
        state.withLock { state in
            defer { state = .released }
            if case .waiting(let line) = state { return line }
            return nil
        }
    }
}
