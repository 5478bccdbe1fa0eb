internal import GStreamerKit
internal import Synchronization

/// Relays a stream of one codec and buffers it from its last keyframe on until a consumer follows it.
final class CodecRelay: Sendable {
    private struct State {
        var isFollowed = false
        var held: [MediaSample] = []
    }

    /// The maximum number of buffered samples, a few seconds of video; a later consumer waits for the next
    /// keyframe.
    private static let maximum = 150

    /// The hub that the samples are published to.
    let hub = SampleHub()
    private let holds: Bool
    private let state = Mutex(State())

    /// Creates a relay; if `holds` is true, it buffers samples without a consumer instead of dropping them.
    init(holds: Bool) { self.holds = holds }

    /// Relays or buffers the next sample; called from one thread at a time.
    func pass(_ sample: MediaSample) {
        let due = state.withLock { state in
            guard !state.isFollowed else {
                defer { state.held = [] }
                return state.held + [sample]
            }
            if sample.isKeyframe || state.held.count >= Self.maximum { state.held = [] }
            if holds, sample.isKeyframe || !state.held.isEmpty { state.held.append(sample) }
            return []
        }
        for sample in due { hub.publish(sample) }
    }

    /// Sets whether a consumer follows; buffered samples are published with the next sample.
    func follow(_ isFollowed: Bool) {
        state.withLock { state in
            state.isFollowed = isFollowed
            if !isFollowed { state.held = [] }
        }
    }
}
