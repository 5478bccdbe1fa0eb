internal import GStreamerKit
internal import Synchronization

/// Passes on what comes in one codec, and holds it back, from a keyframe on, until somebody follows it.
final class CodecRelay: Sendable {
    private struct State {
        var isFollowed = false
        var held: [MediaSample] = []
    }

    /// Some seconds of video; who is not followed by then waits for another keyframe.
    private static let most = 150

    /// Where it is passed on.
    let hub = SampleHub()
    private let holds: Bool
    private let state = Mutex(State())

    /// - Parameter holds: whether what nobody follows yet is held back, or lost.
    init(holds: Bool) { self.holds = holds }

    /// Takes the next sample, from one thread at a time.
    func pass(_ sample: MediaSample) {
        let due = state.withLock { state in
            guard !state.isFollowed else {
                defer { state.held = [] }
                return state.held + [sample]
            }
            if sample.isKeyframe || state.held.count >= Self.most { state.held = [] }
            if holds, sample.isKeyframe || !state.held.isEmpty { state.held.append(sample) }
            return []
        }
        for sample in due { hub.publish(sample) }
    }

    /// Says whether somebody follows; what is held comes with the next sample.
    func follow(_ isFollowed: Bool) {
        state.withLock { state in
            state.isFollowed = isFollowed
            if !isFollowed { state.held = [] }
        }
    }
}
