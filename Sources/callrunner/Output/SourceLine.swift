internal import Synchronization

/// The console line about the source of a call, which is delayed until the room is joined, because no media is sent
/// before.
final class SourceLine: Sendable {
    private enum State {
        case waiting(Line?)
        case released
    }

    private let state = Mutex(State.waiting(nil))

    /// Returns the line if it may be written now; otherwise stores it and returns nil.
    func pass(_ line: Line) -> Line? {
        state.withLock { state in
            if case .released = state { return line }
            state = .waiting(line)
            return nil
        }
    }

    /// Returns the stored line, if any, and ends the delay for later lines.
    func release() -> Line? {
        state.withLock { state in
            defer { state = .released }
            if case .waiting(let line) = state { return line }
            return nil
        }
    }
}
