internal import GLibKit
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
        /// The arrival time of the first item.
        var beginning: ContinuousClock.Instant?
        var isAnnounced = false
        var bytes = 0
        /// The tracks that wait for a keyframe because samples before it were dropped.
        var overfull: Set<RecordingTrack> = []
        var hasLost = false
        var isClosed = false

        mutating func takeAll() -> (items: [Item], hasLost: Bool) {
            defer { (items, beginning, isAnnounced, bytes, hasLost) = ([], nil, false, 0, false) }
            return (items, hasLost)
        }

        /// Returns whether the items are due for the first time.
        mutating func becomesDue(at now: ContinuousClock.Instant) -> Bool {
            let beginning = beginning ?? now
            self.beginning = beginning
            guard !isAnnounced, now - beginning >= RecordingBuffer.gatheringTime else { return false }
            isAnnounced = true
            return true
        }
    }

    /// The time for which samples are gathered; `kill -9` loses these and half a second in Matroska's muxer.
    static let gatheringTime = Duration.milliseconds(200)

    /// Emits one element when samples have been gathered for long enough, regardless of how many follow.
    ///
    /// The sample that completes this time triggers it, because a timer would wake three threads. Samples
    /// after which the streams fall silent wait for the next one, or for the end of the file. Single
    /// consumer.
    let dues = Mailbox<Void>(capacity: 1)

    private let state = Mutex(State())
    private let maximumBytes: Int

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Adds a sample; if the buffer is full, drops it and all others up to the track's next keyframe.
    func append(_ sample: MediaSample, track: RecordingTrack, at now: ContinuousClock.Instant = .now) {
        let isDue = state.withLock { state in
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
            return state.becomesDue(at: now)
        }
        if isDue { dues.send(()) }
    }

    /// Removes all samples and returns them, with whether any was dropped since the last call.
    func takeAll() -> (items: [Item], hasLost: Bool) { state.withLock { $0.takeAll() } }

    /// Closes the buffer and returns the remaining samples; later ones are dropped.
    func close() -> (items: [Item], hasLost: Bool) {
        defer { dues.finish() }
        return state.withLock { state in
            state.isClosed = true
            return state.takeAll()
        }
    }
}
