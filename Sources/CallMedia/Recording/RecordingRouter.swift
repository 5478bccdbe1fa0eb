internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// Where samples arrive on their streaming threads: holds them back until the tracks of the file that
/// they belong to are known, then writes them straight through.
final class RecordingRouter: Sendable {
    struct Opening: Sendable {
        var codecs: [RecordingTrack: Codec]
        /// Nanoseconds since the shared epoch.
        var origin: UInt64
    }

    enum News: Sendable {
        case fileDue(Opening)
        /// Another file waits for a picture to begin with.
        case keyframeWanted
        /// Nothing goes any more into the file before the open one.
        case fileLeft
    }

    private let state: Mutex<RecordingRouterState>
    private let news: AsyncStream<News>.Continuation

    /// - Parameters:
    ///   - mindsFormat: whether another format of pictures needs another file.
    ///   - segmentLength: nanoseconds after which another file begins at a keyframe; nil for never.
    ///   - news: hears when a file or a keyframe is needed.
    init(mindsFormat: Bool, segmentLength: UInt64? = nil, news: AsyncStream<News>.Continuation) {
        state = Mutex(RecordingRouterState(mindsFormat: mindsFormat, segmentLength: segmentLength))
        self.news = news
    }

    /// Whether tracks are still in the file before the open one.
    var isLeaving: Bool { state.withLock { $0.isLeaving } }

    /// The tracks to wait for.
    func expect(_ tracks: some Sequence<RecordingTrack>) { state.withLock { $0.expected = Set(tracks) } }

    /// Takes one sample, from one thread per track.
    func accept(_ sample: MediaSample, track: RecordingTrack, codec: Codec) {
        guard let (sample, time) = timed(sample, of: track) else { return }
        let arrival = RecordingRouterState.Arrival(sample: sample, track: track, codec: codec, time: time)
        let (take, wishes) = state.withLock { Self.place(arrival, in: &$0) }
        take?.write(sample, track: track)  // never into GStreamer under the lock
        for wish in wishes { news.yield(wish) }
    }

    /// The sample and its time; nil where neither it nor one before it bears any.
    ///
    /// Pictures that come in one burst may share a time, which the parser tells of the first alone.
    private func timed(_ sample: MediaSample, of track: RecordingTrack) -> (MediaSample, UInt64)? {
        let known = sample.presentationTime
        guard let time = state.withLock({ $0.time(known, of: track) }) else { return nil }
        return (known == nil ? sample.shifted(to: time, decodeTime: time) : sample, time)
    }

    /// The file that takes the sample at once, and what is needed by then.
    private static func place(
        _ arrival: RecordingRouterState.Arrival,
        in state: inout RecordingRouterState
    ) -> (RecordingWriter?, [News]) {
        guard !state.isClosed else { return (nil, []) }
        var wishes: [News] = state.wantsKeyframe(at: arrival) ? [.keyframeWanted] : []
        let wasLeaving = state.isLeaving
        if let take = state.takeBefore(arrival) { return (take, wishes) }
        if wasLeaving, !state.isLeaving { wishes.append(.fileLeft) }
        if let take = state.take(for: arrival) { return (take, wishes) }
        let wasWaiting = state.isWaitingForKeyframe
        state.hold(arrival)
        if state.isWaitingForKeyframe, !wasWaiting { return (nil, wishes + [.keyframeWanted]) }
        if let opening = state.openingIfDue(patience: RecordingRouterState.patience) {
            wishes.append(.fileDue(opening))
        }
        return (nil, wishes)
    }

    /// Hands what was held for it to `take`, which writes everything that fits from then on.
    ///
    /// - Returns: what is needed by then.
    func open(_ take: RecordingWriter) -> News? {
        while let samples = nextSamples(for: take) {
            for (track, sample) in samples { take.write(sample, track: track) }
        }
        return state.withLock { state in
            if state.isWaitingForKeyframe { return .keyframeWanted }
            return state.openingIfDue(patience: RecordingRouterState.patience).map(News.fileDue)
        }
    }

    /// What the first batch holds by now; nil, and the file is open, when that is nothing.
    private func nextSamples(for take: RecordingWriter) -> [(RecordingTrack, MediaSample)]? {
        state.withLock { state in
            guard let first = state.batches.first else {
                state.isOpening = false
                return nil
            }
            if first.samples.isEmpty {
                state.batches.removeFirst()
                if state.batches.isEmpty || state.waitsForKeyframe(after: first.layout) {
                    state.current = (take, first.layout)
                }
                state.isOpening = false
                return nil
            }
            state.batches[0].samples = []
            return first.samples
        }
    }

    /// Takes nothing more.
    ///
    /// - Returns: the file that is due for what is still held, where none is being opened.
    func close() -> Opening? {
        state.withLock { state in
            state.isClosed = true
            state.current = nil
            return state.openingIfDue(patience: 0)
        }
    }

    /// Forgets everything, because no file can be opened.
    func abandon() {
        state.withLock { state in
            state.isClosed = true
            state.batches = []
            state.current = nil
        }
    }
}
