internal import GStreamerKit
internal import Synchronization

/// Samples on their way into a file, in the order of their arrival; bounded, so that a disk that stands
/// still fills no memory.
///
/// A muxer is woken for a fraction of a second's worth at a time: to wake it for each sample costs more
/// than all else that a recording does.
final class RecordingBuffer: Sendable {
    struct Item: Sendable {
        var track: RecordingTrack
        var sample: MediaSample
    }

    private struct State {
        var items: [Item] = []
        var bytes = 0
        /// The tracks that wait for a keyframe, because something before it was left out.
        var overfull: Set<RecordingTrack> = []
        var hasLost = false
        var isClosed = false

        mutating func takeAll() -> (items: [Item], hasLost: Bool) {
            defer { (items, bytes, hasLost) = ([], 0, false) }
            return (items, hasLost)
        }
    }

    /// Tells, once, that something waits, however much follows.
    ///
    /// Single consumer.
    let arrivals: AsyncStream<Void>

    private let state = Mutex(State())
    private let arrival: AsyncStream<Void>.Continuation
    private let mostBytes: Int

    init(mostBytes: Int) {
        self.mostBytes = mostBytes
        (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds one sample; leaves it and all up to the track's next keyframe out where too much waits.
    func append(_ sample: MediaSample, track: RecordingTrack) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            if state.bytes + sample.size > mostBytes {
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

    /// Hands everything over, and whether something was left out since the last time.
    func takeAll() -> (items: [Item], hasLost: Bool) { state.withLock { $0.takeAll() } }

    /// Hands over what is left; nothing is taken any more.
    func close() -> (items: [Item], hasLost: Bool) {
        defer { arrival.finish() }
        return state.withLock { state in
            state.isClosed = true
            return state.takeAll()
        }
    }
}
