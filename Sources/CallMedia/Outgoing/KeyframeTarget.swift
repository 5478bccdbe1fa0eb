internal import CallCore
internal import Synchronization

/// The stream to which a peer's keyframe requests are forwarded; used on streaming threads.
final class KeyframeTarget: Sendable {
    private struct State {
        weak var stream: OutgoingStream?
    }

    private let state: Mutex<State>

    init(_ stream: OutgoingStream) { state = Mutex(State(stream: stream)) }

    func set(_ stream: OutgoingStream) { state.withLock { $0.stream = stream } }

    /// Requests a keyframe from the stream's encoder; a file cannot provide one on request.
    func makeKeyframe() {
        let stream = state.withLock { $0.stream }
        stream?.makeKeyframe()
    }
}
