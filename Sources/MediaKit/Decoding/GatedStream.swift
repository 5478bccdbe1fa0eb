internal import Basics
package import GStreamerKit
internal import Synchronization

/// Passes on the samples that may be decoded and warns about withheld ones; used on the streaming thread.
package final class GatedStream: Sendable {
    private struct State {
        var gate: DecodingGate
        /// Whether video is withheld and a warning about this was issued.
        var isRefusing = false
        var hasWarned = false
    }

    /// The change of the stream's state that a sample causes.
    private enum Change { case refused(Resolution), refusedFormat, accepted, nothing }

    private let state: Mutex<State>
    private let limit: DecodingLimit
    private let warn: @Sendable (String) -> Void
    private let requestKeyframe: @Sendable () -> Void

    /// Creates a gate for one stream.
    ///
    /// - Parameters:
    ///   - codec: the codec of the stream.
    ///   - limit: the maximum resolution of video to decode.
    ///   - warn: receives a sentence when video is withheld for the first time, which names the option that
    ///     raises the limit, and another sentence when video is shown again.
    ///   - requestKeyframe: called when the video is within the limit again but needs a keyframe to be
    ///     decoded.
    package init(
        _ codec: Codec,
        limit: DecodingLimit,
        warn: @escaping @Sendable (String) -> Void,
        requestKeyframe: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(gate: DecodingGate(codec, limit: limit)))
        (self.limit, self.warn, self.requestKeyframe) = (limit, warn, requestKeyframe)
    }

    /// Returns the sample as passed to a decoder; nil if it is withheld.
    package func passing(_ sample: MediaSample) -> MediaSample? {
        let isKeyframe = sample.isKeyframe
        let judged = sample.withBytes { bytes in
            state.withLock { state in
                let verdict = state.gate.judge(bytes, isKeyframe: isKeyframe)
                return (verdict: verdict, change: Self.change(&state, after: verdict))
            }
        }
        switch judged?.change {
        case .refused(let size): warn("the peer's video is not shown: \(limit.refusal(of: size))")
        case .refusedFormat: warn("the peer's video is not shown: its format is not 8-bit 4:2:0")
        case .accepted: warn("the peer's video is shown again")
        case .nothing, nil: break
        }
        if judged?.verdict == .isWithheld(needsKeyframe: true) { requestKeyframe() }
        return sample.passing(judged?.verdict)
    }

    /// Updates the state and returns the change; refusals are reported once, even if resolution or format
    /// keep changing.
    private static func change(_ state: inout State, after verdict: DecodingGate.Verdict) -> Change {
        let gate = state.gate
        let refusal = gate.refused.map(Change.refused) ?? (gate.refusesFormat ? .refusedFormat : nil)
        if let refusal, !state.hasWarned {
            (state.isRefusing, state.hasWarned) = (true, true)
            return refusal
        }
        if case .isWithheld = verdict { return .nothing }
        guard state.isRefusing else { return .nothing }
        state.isRefusing = false
        return .accepted
    }
}
