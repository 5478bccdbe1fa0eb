internal import Basics
internal import GStreamerKit
internal import Synchronization

/// Distributes samples to the files of a recording, on their streaming threads.
///
/// It buffers the samples of a file until the file's tracks are known. Later samples are passed on directly.
final class RecordingRouter: Sendable {
    struct Opening: Sendable {
        var codecs: [RecordingTrack: Codec]
        /// The start of the file in nanoseconds since the `MediaClock` epoch.
        var origin: UInt64
    }

    enum Event: Sendable {
        case fileDue(Opening)
        /// A new file cannot begin before a keyframe arrives.
        case keyframeWanted
        /// The previous file receives no more samples.
        case fileLeft
        /// Samples were dropped for the first time.
        case samplesDropped
        /// The file at this path accepts no more samples, because its muxer or a parser failed on a sample.
        case fileBroken(path: String)
    }

    private let state: Mutex<RecordingRouterState>
    private let eventContinuation: AsyncStream<Event>.Continuation

    /// Creates a router without an open file.
    ///
    /// - Parameters:
    ///   - splitsByFormat: whether a change of the video format requires another file.
    ///   - segmentLength: the time in nanoseconds after which another file begins at a keyframe; nil for a
    ///     single file.
    ///   - eventContinuation: receives the events.
    init(
        splitsByFormat: Bool,
        segmentLength: UInt64? = nil,
        eventContinuation: AsyncStream<Event>.Continuation
    ) {
        state = Mutex(RecordingRouterState(splitsByFormat: splitsByFormat, segmentLength: segmentLength))
        self.eventContinuation = eventContinuation
    }

    /// Whether tracks are still written to the previous file although the next one is open.
    var isLeaving: Bool { state.withLock { $0.isLeaving } }

    /// Sets the tracks that a new file waits for before it is opened.
    func expect(_ tracks: some Sequence<RecordingTrack>) { state.withLock { $0.expected = Set(tracks) } }

    /// Routes a sample; called from one thread per track.
    func accept(_ sample: MediaSample, track: RecordingTrack, codec: Codec) {
        guard track.kind == .audio || sample.isLargeEnough else { return }
        guard let (sample, time) = timed(sample, of: track) else { return }
        let arrival = RecordingRouterState.Arrival(sample: sample, track: track, codec: codec, time: time)
        let (writer, events) = state.withLock { Self.place(arrival, in: &$0) }
        writer?.write(sample, track: track)  // GStreamer must not be called under the lock
        for event in events { eventContinuation.yield(event) }
    }

    /// Returns the sample and its time; nil if its track has had no timestamp so far.
    ///
    /// Frames that arrive in one burst may share a timestamp, which the parser sets on the first one only.
    ///
    /// - Parameters:
    ///   - sample: the sample.
    ///   - track: its track.
    /// - Returns: the sample with a timestamp, and that timestamp.
    private func timed(_ sample: MediaSample, of track: RecordingTrack) -> (MediaSample, UInt64)? {
        let known = sample.presentationTime
        guard let time = state.withLock({ $0.time(known, of: track) }) else { return nil }
        return (known == nil ? sample.shifted(to: time, decodeTime: time) : sample, time)
    }

    /// Returns the open file that the sample belongs to and the events to report; buffers the sample if there
    /// is no such file.
    private static func place(
        _ arrival: RecordingRouterState.Arrival,
        in state: inout RecordingRouterState
    ) -> (RecordingWriter?, [Event]) {
        guard !state.isClosed else { return (nil, []) }
        var events: [Event] = state.wantsKeyframe(at: arrival) ? [.keyframeWanted] : []
        let wasLeaving = state.isLeaving
        if let writer = state.previousWriter(arrival) { return (writer, events) }
        if wasLeaving, !state.isLeaving { events.append(.fileLeft) }
        if state.mustSkip(arrival) { return (nil, events + state.firstDrop()) }
        if let writer = state.writer(for: arrival) { return (writer, events) }
        guard state.mayBeHeld(arrival) else { return (nil, events) }
        guard state.hasRoom(for: arrival) else { return (nil, events + state.firstDrop()) }
        let wasWaiting = state.isWaitingForKeyframe
        guard state.hold(arrival) else { return (nil, events + [.keyframeWanted]) }
        if state.isWaitingForKeyframe, !wasWaiting { return (nil, events + [.keyframeWanted]) }
        if let opening = state.openingIfDue(maximumWait: RecordingRouterState.maximumWait) {
            events.append(.fileDue(opening))
        }
        return (nil, events)
    }

    /// Writes the buffered samples to `writer`, which receives all later samples that fit its file.
    ///
    /// - Returns: the next event to handle; nil if there is none.
    func open(_ writer: RecordingWriter) -> Event? {
        while let samples = nextSamples(for: writer) {
            for (track, sample) in samples { writer.write(sample, track: track) }
        }
        return state.withLock { state in
            if state.isWaitingForKeyframe { return .keyframeWanted }
            return state.openingIfDue(maximumWait: RecordingRouterState.maximumWait).map(Event.fileDue)
        }
    }

    /// Removes and returns the samples buffered for the file that is being opened; if there are none, ends
    /// the opening and returns nil.
    ///
    /// The file then receives later samples, unless the next file is due immediately.
    private func nextSamples(for writer: RecordingWriter) -> [(RecordingTrack, MediaSample)]? {
        state.withLock { state in
            guard let first = state.batches.first else {
                state.isOpening = false
                return nil
            }
            if first.samples.isEmpty {
                state.batches.removeFirst()
                let isLast = state.batches.isEmpty || state.waitsForKeyframe(after: first.layout)
                if isLast, !writer.isClosed {
                    state.current = (writer, first.layout)
                }
                state.isOpening = false
                return nil
            }
            return state.batches[0].takeSamples()
        }
    }

    /// Stops passing samples to a file that accepts no more.
    func leaveBroken(_ writer: RecordingWriter) { state.withLock { $0.leaveBroken(writer) } }

    /// Stops accepting samples.
    ///
    /// - Returns: the file to open for the samples still buffered; nil if there are none or a file is being
    ///   opened.
    func close() -> Opening? {
        state.withLock { state in
            state.isClosed = true
            state.current = nil
            return state.openingIfDue(maximumWait: 0)
        }
    }

    /// Drops the buffered and all later samples, because a file cannot be opened.
    func abandon() {
        state.withLock { state in
            state.isClosed = true
            state.batches = []
            state.current = nil
        }
    }
}

extension MediaSample {
    /// The minimum width and height that all containers accept.
    private static let leastSide = 16

    /// Whether the frame is as large as containers require, or its size is not known.
    fileprivate var isLargeEnough: Bool {
        [caps.int("width"), caps.int("height")].allSatisfy { $0.map { $0 >= Self.leastSide } ?? true }
    }
}
