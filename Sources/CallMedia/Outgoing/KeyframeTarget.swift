internal import CallCore
internal import Synchronization

/// The stream that a peer's wish for a keyframe goes to, and how long such wishes wait; used on streaming threads.
final class KeyframeTarget: Sendable {
    private struct State {
        weak var stream: OutgoingStream?
    }

    private let state: Mutex<State>

    init(_ stream: OutgoingStream) { state = Mutex(State(stream: stream)) }

    func set(_ stream: OutgoingStream) { state.withLock { $0.stream = stream } }

    /// Asks the stream's encoder; a file's next keyframe comes when it comes.
    func makeKeyframe() {
        let stream = state.withLock { $0.stream }
        stream?.makeKeyframe()
    }
}
