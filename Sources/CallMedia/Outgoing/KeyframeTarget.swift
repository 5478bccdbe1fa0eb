internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// The stream to which a peer's keyframe requests are forwarded; used on streaming threads.
final class KeyframeTarget: Sendable {
    private struct State {
        weak var stream: OutgoingStream?
        /// Whether the last request was too early, and is to be forwarded later.
        var isWaiting = false
        var allowance = Allowance(maximum: KeyframeTarget.perSecond, perSecond: KeyframeTarget.perSecond)
    }

    /// The maximum number of requests that are forwarded per second, and in one burst.
    ///
    /// A keyframe is several times as large as other frames: a peer that requested one for each packet would receive
    /// only keyframes, or video of the lowest quality.
    static let perSecond = 3.0

    private let state: Mutex<State>

    init(_ stream: OutgoingStream) { state = Mutex(State(stream: stream)) }

    func set(_ stream: OutgoingStream) { state.withLock { $0.stream = stream } }

    /// Requests a keyframe from the stream's encoder; a file cannot provide one on request.
    ///
    /// - Parameter now: The current time in nanoseconds.
    /// - Returns: False if the peer has sent too many requests, so that this one is forwarded later.
    @discardableResult
    func makeKeyframe(at now: UInt64 = MediaClock.shared.now) -> Bool {
        forward(at: now) { $0.isWaiting = true }
    }

    /// Forwards the delayed request, if any, as soon as the rate limit allows; called with each frame that is sent.
    @discardableResult
    func resume(at now: UInt64 = MediaClock.shared.now) -> Bool {
        guard state.withLock({ $0.isWaiting }) else { return false }
        return forward(at: now) { _ in }
    }

    private func forward(at now: UInt64, _ prepare: (inout State) -> Void) -> Bool {
        let (stream, isAdmitted) = state.withLock { state in
            prepare(&state)
            let isAdmitted = state.allowance.take(1, at: now)
            if isAdmitted { state.isWaiting = false }
            return (state.stream, isAdmitted)
        }
        if isAdmitted { stream?.makeKeyframe() }
        return isAdmitted
    }
}
