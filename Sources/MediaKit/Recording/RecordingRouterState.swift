internal import Basics
internal import GStreamerKit

/// The state of a `RecordingRouter`; decides which file each sample belongs to.
struct RecordingRouterState: Sendable {
    /// A sample to route.
    struct Arrival {
        let sample: MediaSample
        let track: RecordingTrack
        let codec: Codec
        /// The time of the sample in nanoseconds since the `MediaClock` epoch.
        let time: UInt64

        /// Whether it is a video frame that refers to others.
        var isDelta: Bool { track.kind == .video && !sample.isKeyframe }
    }

    /// The samples buffered for one file, in order of arrival.
    struct Batch {
        var layout = RecordingLayout()
        private(set) var samples: [(RecordingTrack, MediaSample)] = []
        /// The size of the samples in bytes, with an estimate for the objects around their data.
        private(set) var bytes = 0
        /// The earliest and the latest time of the samples, in nanoseconds since the `MediaClock` epoch.
        var times: ClosedRange<UInt64>
        /// Whether the file is the next segment, so that its tracks are known from the previous file.
        var isSegment = false

        mutating func add(_ arrival: Arrival) {
            let (track, sample) = (arrival.track, arrival.sample)
            if layout.codecs[track] == nil, track.kind == .video {
                layout.format = RecordedFormat(of: sample, arrival.codec)
            }
            layout.codecs[track] = arrival.codec
            samples.append((track, sample))
            bytes += sample.heldBytes
            times = min(arrival.time, times.lowerBound)...max(arrival.time, times.upperBound)
        }

        mutating func takeSamples() -> [(RecordingTrack, MediaSample)] {
            defer { (samples, bytes) = ([], 0) }
            return samples
        }
    }

    /// The maximum time in nanoseconds for which a new file waits for its other tracks after the first one.
    static let maximumWait: UInt64 = 3_000_000_000
    /// The limit on the changes of a stream's codec or format that begin another file: a burst of four, as while a peer
    /// adapts the resolution to its network, then one every two seconds.
    ///
    /// A peer could otherwise begin a file with each keyframe, or with each audio packet.
    private static let changes = Allowance(maximum: 4, perSecond: 0.5)
    /// The maximum size of the samples that are buffered for files that are not open yet, in bytes.
    static let maximumBytes = 64_000_000
    /// The time after a file has failed during which no other file begins, in nanoseconds.
    private static let pause: UInt64 = 2_000_000_000
    /// The minimum time between two requests for a keyframe, in nanoseconds.
    private static let timeBetweenRequests: UInt64 = 5_000_000_000

    /// Whether a change of the video format requires another file.
    let splitsByFormat: Bool
    /// The length of each segment in nanoseconds; nil for a single file.
    let segmentLength: UInt64?

    var expected: Set<RecordingTrack> = []
    /// The open file and its layout.
    var current: (writer: RecordingWriter, layout: RecordingLayout)?
    /// The previous file, while tracks are still written to it.
    private(set) var handover: RecordingHandover?
    /// The samples buffered for the next files, in order.
    ///
    /// There are several batches if the tracks or the video format change while a file is being opened.
    var batches: [Batch] = []
    var isOpening = false
    var isClosed = false
    /// The planned end of the open segment in nanoseconds since the `MediaClock` epoch; nil before the first
    /// file and without segments.
    private var segmentEnd: UInt64?
    /// The time of each track's last sample in nanoseconds since the `MediaClock` epoch.
    private var latest: [RecordingTrack: UInt64] = [:]
    /// The last timestamp of each track, which is used for later samples without one, in nanoseconds.
    private var timestamps: [RecordingTrack: UInt64] = [:]
    private var lastRequest: UInt64?
    /// The number of changes of each track that may still begin another file.
    private var changes: [RecordingTrack: Allowance] = [:]
    /// The video tracks whose frames are dropped until a keyframe that can be recorded.
    private var skipped: Set<RecordingTrack> = []
    private var hasDropped = false
    /// The time before which no file begins, in nanoseconds since the `MediaClock` epoch.
    private var pauseEnd: UInt64 = 0

    init(splitsByFormat: Bool, segmentLength: UInt64?) {
        (self.splitsByFormat, self.segmentLength) = (splitsByFormat, segmentLength)
    }

    /// Whether tracks are still written to the previous file although the next one is open.
    var isLeaving: Bool { handover != nil }

    /// Returns the time of a track's next sample: `time` or, if that is nil, the track's previous timestamp;
    /// nil if there is neither.
    mutating func time(_ time: UInt64?, of track: RecordingTrack) -> UInt64? {
        if let time { timestamps[track] = time }
        return timestamps[track]
    }

    // MARK: Routing samples

    /// Returns the previous file if the sample belongs to it; otherwise the track moves to the next file.
    mutating func previousWriter(_ arrival: Arrival) -> RecordingWriter? {
        guard var leaving = handover, leaving.tracks.contains(arrival.track) else { return nil }
        if leaving.keeps(arrival.sample, arrival.track, arrival.codec, at: arrival.time) {
            return leaving.writer
        }
        leaving.tracks.remove(arrival.track)
        handover = leaving.tracks.isEmpty ? nil : leaving
        return nil
    }

    /// Returns the open file if the sample belongs to it; nil if the sample must be buffered for a new file.
    mutating func writer(for arrival: Arrival) -> RecordingWriter? {
        latest[arrival.track] = arrival.time
        guard let (writer, layout) = current else { return nil }
        let fits = layout.fits(arrival.sample, arrival.track, arrival.codec, splitsByFormat: splitsByFormat)
        if fits, isSegmentOver(at: arrival), layout.canBegin(with: arrival.sample, of: arrival.track) {
            beginSegment(after: writer, layout, with: arrival)
            return nil
        }
        if fits, batches.isEmpty || mustStayBehind(arrival) { return writer }
        let isLateAudio = arrival.track.kind == .audio && layout.codecs[arrival.track] == nil
        guard fits || !isLateAudio || hasWaited(until: arrival.time) else { return nil }
        current = nil
        if layout.hasSeveralVideos { leave(writer, layout, at: arrival) }
        return nil
    }

    /// Returns whether to drop a sample, because its stream has changed again too soon, or because it is a video frame
    /// that may refer to a dropped frame.
    mutating func mustSkip(_ arrival: Arrival) -> Bool {
        if arrival.isDelta { return skipped.contains(arrival.track) }
        if let layout = batches.last?.layout ?? current?.layout, layout.codecs[arrival.track] != nil,
            !fits(arrival, layout)
        {
            guard changes[arrival.track, default: Self.changes].take(1, at: arrival.time) else {
                skipped.insert(arrival.track)
                return true
            }
        }
        skipped.remove(arrival.track)
        return false
    }

    /// Stops using a file that accepts no more samples; another file begins after a pause, with the next keyframe of
    /// video.
    mutating func leaveBroken(_ writer: RecordingWriter) {
        if let leaving = handover, leaving.writer === writer {
            skip(leaving.tracks)
            handover = nil
        }
        // Otherwise the next file is being opened, or is open.
        guard current.map({ $0.writer === writer }) ?? !isOpening else { return }
        if let (_, layout) = current { skip(layout.codecs.keys) }
        current = nil
        pauseEnd = (latest.values.max() ?? 0) + Self.pause
    }

    /// Drops the frames of these videos up to their next keyframe.
    private mutating func skip(_ tracks: some Sequence<RecordingTrack>) {
        skipped.formUnion(tracks.filter { $0.kind == .video })
    }

    /// Returns whether the pause after a failed file is over, so that the sample may be buffered; if not, the video
    /// frames that may refer to it are dropped, too.
    mutating func mayBeHeld(_ arrival: Arrival) -> Bool {
        if arrival.time < pauseEnd { skip([arrival.track]) }
        return arrival.time >= pauseEnd
    }

    private func mayChange(_ track: RecordingTrack, at time: UInt64) -> Bool {
        var left = changes[track, default: Self.changes]
        return left.take(1, at: time)
    }

    /// Returns whether the buffer has space for the sample; if not, the video frames that may refer to it are dropped,
    /// too.
    mutating func hasRoom(for arrival: Arrival) -> Bool {
        let held = batches.reduce(arrival.sample.heldBytes) { $0 + $1.bytes }
        guard held > Self.maximumBytes else { return true }
        if arrival.track.kind == .video { skipped.insert(arrival.track) }
        return false
    }

    /// Returns the event that reports the first dropped sample; empty for later ones.
    mutating func firstDrop() -> [RecordingRouter.Event] {
        defer { hasDropped = true }
        return hasDropped ? [] : [.samplesDropped]
    }

    private mutating func leave(_ writer: RecordingWriter, _ layout: RecordingLayout, at arrival: Arrival) {
        let staying = Set(layout.codecs.keys).subtracting([arrival.track])
        handover = RecordingHandover(writer: writer, layout: layout, boundary: arrival.time, tracks: staying)
        if staying.isEmpty { handover = nil }
        lastRequest = nil
    }

    /// Buffers a sample for a file.
    ///
    /// - Returns: False if the sample is dropped, because the video of the file would otherwise begin with a frame that
    ///   refers to others.
    mutating func hold(_ arrival: Arrival) -> Bool {
        let isLastToStay =
            batches.count > 1 && mustStayBehind(arrival)
            && fits(arrival, batches[batches.count - 2].layout)
        if isLastToStay {
            batches[batches.count - 2].add(arrival)
            return true
        }
        if arrival.isDelta, batches.last?.layout.codecs[arrival.track] == nil {
            skipped.insert(arrival.track)
            return false
        }
        let isNew = batches.last.map { batch in
            // The tracks of a file that is being opened are fixed.
            let maySpread = batch.layout.codecs[arrival.track] == nil && !(isOpening && batches.count == 1)
            return !maySpread && !fits(arrival, batch.layout)
        }
        if isNew ?? true { batches.append(Batch(times: arrival.time...arrival.time)) }
        batches[batches.count - 1].add(arrival)
        return true
    }

    private func fits(_ arrival: Arrival, _ layout: RecordingLayout) -> Bool {
        layout.fits(arrival.sample, arrival.track, arrival.codec, splitsByFormat: splitsByFormat)
    }

    /// Returns whether the sample must be written to the open file because the next file has no video yet.
    ///
    /// Video can move to the next file only at a keyframe, because frames before a keyframe are not playable.
    ///
    /// - Parameter arrival: the sample.
    /// - Returns: true if it is not a keyframe and the next file has not yet waited for `maximumWait`.
    private func mustStayBehind(_ arrival: Arrival) -> Bool {
        guard let last = batches.last, !last.layout.hasVideo else { return false }
        return !arrival.sample.isKeyframe && !hasWaited(until: arrival.time)
    }

    private func hasWaited(until time: UInt64) -> Bool {
        guard let start = batches.last?.times.lowerBound else { return false }
        return time >= start && time - start >= Self.maximumWait
    }

    // MARK: Segments

    private func isSegmentOver(at arrival: Arrival) -> Bool {
        guard let segmentEnd, batches.isEmpty else { return false }
        return arrival.time >= segmentEnd
    }

    private mutating func beginSegment(
        after writer: RecordingWriter,
        _ layout: RecordingLayout,
        with arrival: Arrival
    ) {
        current = nil
        leave(writer, layout, at: arrival)
        var batch = Batch(times: arrival.time...arrival.time, isSegment: true)
        batch.layout.format = layout.format
        // Ended tracks are left out; otherwise the muxer would wait for them until the file is closed.
        batch.layout.codecs = layout.codecs.filter { track, _ in
            arrival.time < (latest[track] ?? 0) + Self.maximumWait
        }
        batches.append(batch)
    }

    /// Sets the planned end of the file that begins at `origin`: a multiple of the segment length after the
    /// start of the first file.
    private mutating func beginFile(at origin: UInt64) {
        guard let segmentLength, segmentLength > 0 else { return }
        let end = segmentEnd ?? origin
        let passed = end <= origin ? (origin - end) / segmentLength + 1 : 0
        // A file may contain any time.
        let (next, isBeyond) = end.addingReportingOverflow(
            passed.multipliedReportingOverflow(by: segmentLength).0
        )
        segmentEnd = isBeyond || next <= origin ? .max : next
    }

    /// Returns whether to request a keyframe now, so that video can move to the next file, or be recorded again.
    mutating func wantsKeyframe(at arrival: Arrival) -> Bool {
        guard arrival.track.kind == .video, !arrival.sample.isKeyframe else { return false }
        let isDue = segmentEnd.map { arrival.time >= $0 } ?? false
        let isSkipped = skipped.contains(arrival.track) && mayChange(arrival.track, at: arrival.time)
        guard isDue && current != nil || isSkipped || handover?.tracks.contains(arrival.track) ?? false else {
            return false
        }
        if let lastRequest, arrival.time < lastRequest + Self.timeBetweenRequests { return false }
        lastRequest = arrival.time
        return true
    }

    // MARK: Opening

    /// Whether audio that started late is buffered until a keyframe begins a new file, while a file is open.
    var isWaitingForKeyframe: Bool { current != nil && !batches.isEmpty }

    /// Returns whether the file with this layout remains open while audio that started late is buffered until
    /// a keyframe begins the next file.
    func waitsForKeyframe(after layout: RecordingLayout) -> Bool {
        guard !isClosed, batches.count == 1, !batches[0].layout.hasVideo else { return false }
        return !Set(batches[0].layout.codecs.keys).isSubset(of: layout.codecs.keys)
    }

    /// Begins the next file and returns its opening; nil if a file is open or opening, or if it is too early.
    ///
    /// A file is due if its expected tracks have arrived, `maximumWait` nanoseconds are buffered, it begins a
    /// segment, the router is closed, or samples for another file are buffered.
    mutating func openingIfDue(maximumWait: UInt64) -> RecordingRouter.Opening? {
        guard !isOpening, current == nil, let first = batches.first else { return nil }
        let isComplete = first.isSegment || expected.isSubset(of: first.layout.codecs.keys)
        let hasWaited = first.times.upperBound - first.times.lowerBound >= maximumWait
        guard isClosed || isComplete || hasWaited || batches.count > 1 else { return nil }
        isOpening = true
        beginFile(at: first.times.lowerBound)
        return RecordingRouter.Opening(codecs: first.layout.codecs, origin: first.times.lowerBound)
    }
}
