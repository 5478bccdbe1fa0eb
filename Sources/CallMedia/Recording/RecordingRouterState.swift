internal import CallCore
internal import GStreamerKit

/// What an intake knows, and where each sample belongs by that.
struct RecordingRouterState: Sendable {
    /// One sample on its way.
    struct Arrival {
        let sample: MediaSample
        let track: RecordingTrack
        let codec: Codec
        /// Nanoseconds since the shared epoch.
        let time: UInt64
    }

    /// Samples for one file, in the order of their arrival.
    struct Batch {
        var layout = RecordingLayout()
        var samples: [(RecordingTrack, MediaSample)] = []
        /// The first and the latest time in it, nanoseconds since the shared epoch.
        var times: ClosedRange<UInt64>
        /// Whether its tracks are known from the file before.
        var isSegment = false

        mutating func add(_ arrival: Arrival) {
            let (track, sample) = (arrival.track, arrival.sample)
            if layout.codecs[track] == nil, track.kind == .video {
                layout.format = RecordedFormat(of: sample, arrival.codec)
            }
            layout.codecs[track] = arrival.codec
            samples.append((track, sample))
            times = min(arrival.time, times.lowerBound)...max(arrival.time, times.upperBound)
        }
    }

    /// How long the first track waits for the others, in nanoseconds.
    static let patience: UInt64 = 3_000_000_000
    /// Until a keyframe is asked for again, in nanoseconds.
    private static let timeBetweenRequests: UInt64 = 5_000_000_000

    /// Whether another format of pictures needs another file.
    let mindsFormat: Bool
    /// Nanoseconds; nil for one file.
    let segmentLength: UInt64?

    var expected: Set<RecordingTrack> = []
    /// The open file and what it holds.
    var current: (take: RecordingWriter, layout: RecordingLayout)?
    /// The file before, while tracks are still in it.
    private(set) var departure: RecordingHandover?
    /// What waits for files, the next one first; more than one where the picture has changed meanwhile.
    var batches: [Batch] = []
    var isOpening = false
    var isClosed = false
    /// When the open file is to end; nanoseconds since the shared epoch.
    private var segmentEnd: UInt64?
    /// When each track was last heard of; nanoseconds since the shared epoch.
    private var latest: [RecordingTrack: UInt64] = [:]
    /// The last time that a sample of each track bore; nanoseconds since the shared epoch.
    private var told: [RecordingTrack: UInt64] = [:]
    private var lastRequest: UInt64?

    init(mindsFormat: Bool, segmentLength: UInt64?) {
        (self.mindsFormat, self.segmentLength) = (mindsFormat, segmentLength)
    }

    /// Whether tracks are still in the file before the open one.
    var isLeaving: Bool { departure != nil }

    /// The time of a track's next sample, or that of the one before where it bears none.
    mutating func time(_ time: UInt64?, of track: RecordingTrack) -> UInt64? {
        if let time { told[track] = time }
        return told[track]
    }

    // MARK: Where a sample belongs

    /// The file before, where the sample still belongs there; else its track has left that.
    mutating func takeBefore(_ arrival: Arrival) -> RecordingWriter? {
        guard var leaving = departure, leaving.tracks.contains(arrival.track) else { return nil }
        if leaving.keeps(arrival.sample, arrival.track, arrival.codec, at: arrival.time) {
            return leaving.take
        }
        leaving.tracks.remove(arrival.track)
        departure = leaving.tracks.isEmpty ? nil : leaving
        return nil
    }

    /// The open file where the sample still belongs there; else that is done with.
    mutating func take(for arrival: Arrival) -> RecordingWriter? {
        latest[arrival.track] = arrival.time
        guard let (take, layout) = current else { return nil }
        let fits = layout.fits(arrival.sample, arrival.track, arrival.codec, mindsFormat: mindsFormat)
        if fits, isSegmentOver(at: arrival), layout.canBegin(with: arrival.sample, of: arrival.track) {
            beginSegment(after: take, layout, with: arrival)
            return nil
        }
        if fits, batches.isEmpty || mustStayBehind(arrival) { return take }
        let isLateSound = arrival.track.kind == .audio && layout.codecs[arrival.track] == nil
        guard fits || !isLateSound || hasWaited(until: arrival.time) else { return nil }
        current = nil
        if layout.hasSeveralVideos { leave(take, layout, at: arrival) }
        return nil
    }

    private mutating func leave(_ take: RecordingWriter, _ layout: RecordingLayout, at arrival: Arrival) {
        let staying = Set(layout.codecs.keys).subtracting([arrival.track])
        departure = RecordingHandover(take: take, layout: layout, boundary: arrival.time, tracks: staying)
        if staying.isEmpty { departure = nil }
        lastRequest = nil
    }

    mutating func hold(_ arrival: Arrival) {
        let isLastToStay =
            batches.count > 1 && mustStayBehind(arrival)
            && fits(arrival, batches[batches.count - 2].layout)
        if isLastToStay { return batches[batches.count - 2].add(arrival) }
        let isNew = batches.last.map { batch in
            // The tracks of a file that is being opened are settled.
            let maySpread = batch.layout.codecs[arrival.track] == nil && !(isOpening && batches.count == 1)
            return !maySpread && !fits(arrival, batch.layout)
        }
        if isNew ?? true { batches.append(Batch(times: arrival.time...arrival.time)) }
        batches[batches.count - 1].add(arrival)
    }

    private func fits(_ arrival: Arrival, _ layout: RecordingLayout) -> Bool {
        layout.fits(arrival.sample, arrival.track, arrival.codec, mindsFormat: mindsFormat)
    }

    /// Whether the last file that waits is one of sound alone, which a picture cannot join in the middle
    /// of a group of pictures: those before a keyframe would not play.
    private func mustStayBehind(_ arrival: Arrival) -> Bool {
        guard let last = batches.last, !last.layout.hasVideo else { return false }
        return !arrival.sample.isKeyframe && !hasWaited(until: arrival.time)
    }

    private func hasWaited(until time: UInt64) -> Bool {
        guard let start = batches.last?.times.lowerBound else { return false }
        return time >= start && time - start >= Self.patience
    }

    // MARK: Segments

    private func isSegmentOver(at arrival: Arrival) -> Bool {
        guard let segmentEnd, batches.isEmpty else { return false }
        return arrival.time >= segmentEnd
    }

    private mutating func beginSegment(
        after take: RecordingWriter,
        _ layout: RecordingLayout,
        with arrival: Arrival
    ) {
        current = nil
        leave(take, layout, at: arrival)
        var batch = Batch(times: arrival.time...arrival.time, isSegment: true)
        batch.layout.format = layout.format
        // A track that has gone would hold back the others until the file is closed.
        batch.layout.codecs = layout.codecs.filter { track, _ in
            arrival.time < (latest[track] ?? 0) + Self.patience
        }
        batches.append(batch)
    }

    /// The end of the file that begins at `origin`; a multiple of the length after the first one.
    mutating func beginFile(at origin: UInt64) {
        guard let segmentLength, segmentLength > 0 else { return }
        var end = segmentEnd ?? origin
        while end <= origin { end += segmentLength }
        segmentEnd = end
    }

    /// Whether a keyframe is to be asked for now, so that pictures can go over to the next file.
    mutating func wantsKeyframe(at arrival: Arrival) -> Bool {
        guard arrival.track.kind == .video, !arrival.sample.isKeyframe else { return false }
        let isDue = segmentEnd.map { arrival.time >= $0 } ?? false
        guard isDue && current != nil || departure?.tracks.contains(arrival.track) ?? false else {
            return false
        }
        if let lastRequest, arrival.time < lastRequest + Self.timeBetweenRequests { return false }
        lastRequest = arrival.time
        return true
    }

    // MARK: Opening

    /// Whether late sound waits for a picture to begin a file with, while another file is open.
    var isWaitingForKeyframe: Bool { current != nil && !batches.isEmpty }

    /// Whether the file of `layout` goes on while late sound waits for a picture to begin the next with.
    func waitsForKeyframe(after layout: RecordingLayout) -> Bool {
        guard !isClosed, batches.count == 1, !batches[0].layout.hasVideo else { return false }
        return !Set(batches[0].layout.codecs.keys).isSubset(of: layout.codecs.keys)
    }

    /// The file to open, once: all expected tracks have come, or one has waited enough for the others.
    mutating func openingIfDue(patience: UInt64) -> RecordingRouter.Opening? {
        guard !isOpening, current == nil, let first = batches.first else { return nil }
        let isComplete = first.isSegment || expected.isSubset(of: first.layout.codecs.keys)
        let hasWaited = first.times.upperBound - first.times.lowerBound >= patience
        guard isClosed || isComplete || hasWaited || batches.count > 1 else { return nil }
        isOpening = true
        beginFile(at: first.times.lowerBound)
        return RecordingRouter.Opening(codecs: first.layout.codecs, origin: first.times.lowerBound)
    }
}
