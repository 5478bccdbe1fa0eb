internal import GStreamerKit
internal import Synchronization

/// The samples waiting to be written to a file, in order of arrival, with a size limit for the case of a
/// blocked disk.
///
/// The muxer is fed a fraction of a second at a time, because waking it for each sample would cost more than
/// the rest of the recording.
final class RecordingBuffer: Sendable {
    struct Item: Sendable {
        var track: RecordingTrack
        var sample: MediaSample
    }

    private struct State {
        var items: [Item] = []
        var bytes = 0
        /// The tracks that wait for a keyframe because samples before it were dropped.
        var overfull: Set<RecordingTrack> = []
        var hasLost = false
        var isClosed = false

        mutating func takeAll() -> (items: [Item], hasLost: Bool) {
            defer { (items, bytes, hasLost) = ([], 0, false) }
            return (items, hasLost)
        }
    }

    /// Emits one element when samples are waiting, regardless of how many follow.
    ///
    /// Single consumer.
    let arrivals: AsyncStream<Void>

    private let state = Mutex(State())
    private let arrival: AsyncStream<Void>.Continuation
    private let maximumBytes: Int

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
        (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds a sample; if the buffer is full, drops it and all others up to the track's next keyframe.
    func append(_ sample: MediaSample, track: RecordingTrack) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            if state.bytes + sample.size > maximumBytes {
                state.overfull.insert(track)
            } else if sample.isKeyframe {
                state.overfull.remove(track)
            }
            guard !state.overfull.contains(track) else {
                state.hasLost = true
                return false
            }
            state.items.append(Item(track: track, sample: sample))
            state.bytes += sample.size
            return state.items.count == 1
        }
        if isFirst { arrival.yield() }
    }

    /// Removes all samples and returns them; `hasLost` is whether any was dropped since the last call.
    func takeAll() -> (items: [Item], hasLost: Bool) { state.withLock { $0.takeAll() } }

    /// Closes the buffer and returns the remaining samples; later ones are dropped.
    func close() -> (items: [Item], hasLost: Bool) {
        defer { arrival.finish() }
        return state.withLock { state in
            state.isClosed = true
            return state.takeAll()
        }
    }
}
