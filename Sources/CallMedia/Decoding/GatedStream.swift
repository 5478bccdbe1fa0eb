internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// Passes on what comes of a stream as far as it may be decoded, and tells of what is withheld; on its streaming
/// thread.
final class GatedStream: Sendable {
    private struct State {
        var gate: DecodingGate
        /// Whether people were told that something is withheld.
        var isRefusing = false
        var hasWarned = false
    }

    /// The change that a sample brought.
    private enum Change { case refused(Resolution), accepted, nothing }

    private let state: Mutex<State>
    private let limit: DecodingLimit
    private let warn: @Sendable (String) -> Void
    private let requestKeyframe: @Sendable () -> Void

    /// - Parameters:
    ///   - codec: of the stream.
    ///   - limit: what may be decoded.
    ///   - warn: hears, once, which size is not shown and what allows it, and once when video is shown again.
    ///   - requestKeyframe: called where the video has become small enough in the middle of the stream.
    init(
        _ codec: Codec,
        limit: DecodingLimit,
        warn: @escaping @Sendable (String) -> Void,
        requestKeyframe: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(gate: DecodingGate(codec, limit: limit)))
        (self.limit, self.warn, self.requestKeyframe) = (limit, warn, requestKeyframe)
    }

    /// The sample as a decoder may see it; nil where it is withheld.
    func passing(_ sample: MediaSample) -> MediaSample? {
        let isKeyframe = sample.isKeyframe
        let judged = sample.withBytes { bytes in
            state.withLock { state in
                let verdict = state.gate.judge(bytes, isKeyframe: isKeyframe)
                return (verdict: verdict, change: Self.change(&state, after: verdict))
            }
        }
        switch judged?.change {
        case .refused(let size): warn("the peer's video is not shown: \(limit.refusal(of: size))")
        case .accepted: warn("the peer's video is shown again")
        case .nothing, nil: break
        }
        if judged?.verdict == .isWithheld(needsKeyframe: true) { requestKeyframe() }
        return sample.passing(judged?.verdict)
    }

    /// Whoever changes the size all the time is told of once.
    private static func change(_ state: inout State, after verdict: DecodingGate.Verdict) -> Change {
        if let size = state.gate.refused, !state.hasWarned {
            (state.isRefusing, state.hasWarned) = (true, true)
            return .refused(size)
        }
        if case .isWithheld = verdict { return .nothing }
        guard state.isRefusing else { return .nothing }
        state.isRefusing = false
        return .accepted
    }
}
