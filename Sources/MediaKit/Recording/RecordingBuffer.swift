internal import GStreamerKit
internal import Synchronization

/// A sample that waits to be written to a track of a file.
protocol QueuedSample: Sendable {
    associatedtype Track: Hashable & Sendable

    var track: Track { get }
    var sample: MediaSample { get }
}

extension MediaSample {
    /// The duration in nanoseconds, at most a second because streams may specify longer ones; 0 if unknown.
    var plausibleDuration: UInt64 { min(duration ?? 0, 1_000_000_000) }

    /// The size in bytes, with an estimate for the objects around the data.
    var heldBytes: Int { size + 1024 }
}

/// A queue of the samples that wait to be written to a file; its size is limited in case the disk blocks.
///
/// The samples of a fraction of a second are passed to the muxer together, because waking its thread for each
/// sample would use more CPU time than the rest of the recording.
final class RecordingBuffer<Item: QueuedSample>: Sendable {
    private struct State {
        var items: [Item] = []
        var bytes = 0
        /// The tracks whose samples are dropped until the next keyframe, because the buffer was full.
        var overfull: Set<Item.Track> = []
        var hasLost = false
        var isClosed = false

        mutating func takeAll() -> (items: [Item], hasLost: Bool) {
            defer { (items, bytes, hasLost) = ([], 0, false) }
            return (items, hasLost)
        }
    }

    /// Emits an element when a sample is added to the empty buffer.
    ///
    /// Only one consumer is supported.
    let arrivals: AsyncStream<Void>

    private let state = Mutex(State())
    private let arrival: AsyncStream<Void>.Continuation
    private let maximumBytes: Int

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
        (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether no more samples are accepted.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Adds a sample; if the buffer is full, drops all samples of the track until its next keyframe.
    func append(_ item: Item) {
        let (sample, track) = (item.sample, item.track)
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            if state.bytes + sample.heldBytes > maximumBytes {
                state.overfull.insert(track)
            } else if sample.isKeyframe {
                state.overfull.remove(track)
            }
            guard !state.overfull.contains(track) else {
                state.hasLost = true
                return false
            }
            state.items.append(item)
            state.bytes += sample.heldBytes
            return state.items.count == 1
        }
        if isFirst { arrival.yield() }
    }

    /// Removes and returns all samples; `hasLost` is true if a sample was dropped since the last call.
    func takeAll() -> (items: [Item], hasLost: Bool) { state.withLock { $0.takeAll() } }

    /// Drops samples that are added from now on; those in the buffer can still be taken.
    func finish() {
        state.withLock { $0.isClosed = true }
        arrival.finish()
    }

    /// Closes the buffer and returns the remaining samples; samples added later are dropped.
    func close() -> (items: [Item], hasLost: Bool) {
        defer { arrival.finish() }
        return state.withLock { state in
            state.isClosed = true
            return state.takeAll()
        }
    }
}
