internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// Where samples arrive on their streaming threads: holds them back until the tracks of the file that
/// they belong to are known, then writes them straight through.
final class RecordingIntake: Sendable {
    struct Opening: Sendable {
        var codecs: [MediaKind: Codec]
        /// Nanoseconds since the shared epoch.
        var origin: UInt64
    }

    enum News: Sendable {
        case fileDue(Opening)
        /// Another file waits for a picture to begin with.
        case keyframeWanted
    }

    /// What a file holds; a sample that does not fit needs another file.
    private struct Layout {
        var codecs: [MediaKind: Codec] = [:]
        /// Width and height that the file began with.
        var size: [Int?] = []

        func fits(_ sample: MediaSample, _ kind: MediaKind, _ codec: Codec, mindsSize: Bool) -> Bool {
            guard codecs[kind] == codec else { return false }
            return kind == .audio || !mindsSize || !sample.isKeyframe || sample.caps.size == size
        }
    }

    /// Samples for one file, in the order of their arrival.
    private struct Batch {
        var layout = Layout()
        var samples: [(MediaKind, MediaSample)] = []
        /// The first and the latest time in it, nanoseconds since the shared epoch.
        var times: ClosedRange<UInt64>

        mutating func add(_ sample: MediaSample, _ kind: MediaKind, _ codec: Codec, at time: UInt64) {
            if layout.codecs[kind] == nil, kind == .video { layout.size = sample.caps.size }
            layout.codecs[kind] = codec
            samples.append((kind, sample))
            times = min(time, times.lowerBound)...max(time, times.upperBound)
        }
    }

    private struct State {
        var expected: Set<MediaKind> = []
        /// The open file and what it holds.
        var current: (take: RecordingTake, layout: Layout)?
        /// What waits for files, the next one first; more than one where the picture has changed meanwhile.
        var batches: [Batch] = []
        var isOpening = false
        var isClosed = false

        /// The open file where the sample still belongs there; else that is done with.
        mutating func take(
            for sample: MediaSample,
            _ kind: MediaKind,
            _ codec: Codec,
            at time: UInt64,
            mindsSize: Bool
        ) -> RecordingTake? {
            guard let (take, layout) = current else { return nil }
            let fits = layout.fits(sample, kind, codec, mindsSize: mindsSize)
            if fits, batches.isEmpty || mustStayBehind(sample, at: time) { return take }
            let isLateSound = kind == .audio && layout.codecs[.audio] == nil
            if fits || !isLateSound || hasWaited(until: time) { current = nil }
            return nil
        }

        mutating func hold(
            _ sample: MediaSample,
            _ kind: MediaKind,
            _ codec: Codec,
            at time: UInt64,
            mindsSize: Bool
        ) {
            let isLastToStay =
                batches.count > 1 && mustStayBehind(sample, at: time)
                && batches[batches.count - 2].layout.fits(sample, kind, codec, mindsSize: mindsSize)
            if isLastToStay { return batches[batches.count - 2].add(sample, kind, codec, at: time) }
            let isNew = batches.last.map { batch in
                // The tracks of a file that is being opened are settled.
                let maySpread = batch.layout.codecs[kind] == nil && !(isOpening && batches.count == 1)
                return !maySpread && !batch.layout.fits(sample, kind, codec, mindsSize: mindsSize)
            }
            if isNew ?? true { batches.append(Batch(times: time...time)) }
            batches[batches.count - 1].add(sample, kind, codec, at: time)
        }

        /// Whether the last file that waits is one of sound alone, which a picture cannot join in the middle
        /// of a group of pictures: those before a keyframe would not play.
        private func mustStayBehind(_ sample: MediaSample, at time: UInt64) -> Bool {
            guard let last = batches.last, last.layout.codecs[.video] == nil else { return false }
            return !sample.isKeyframe && !hasWaited(until: time)
        }

        /// Whether late sound waits for a picture to begin a file with, while another file is open.
        var isWaitingForKeyframe: Bool { current != nil && !batches.isEmpty }

        /// Whether the file of `layout` goes on while late sound waits for a picture to begin the next with.
        func waitsForKeyframe(after layout: Layout) -> Bool {
            !isClosed && batches.count == 1 && batches[0].layout.codecs[.video] == nil
                && layout.codecs[.audio] == nil
        }

        private func hasWaited(until time: UInt64) -> Bool {
            guard let start = batches.last?.times.lowerBound else { return false }
            return time >= start && time - start >= RecordingIntake.patience
        }

        /// The file to open, once: all expected tracks have come, or one has waited enough for the other.
        mutating func openingIfDue(patience: UInt64) -> Opening? {
            guard !isOpening, current == nil, let first = batches.first else { return nil }
            let isComplete = expected.isSubset(of: first.layout.codecs.keys)
            let hasWaited = first.times.upperBound - first.times.lowerBound >= patience
            guard isClosed || isComplete || hasWaited || batches.count > 1 else { return nil }
            isOpening = true
            return Opening(codecs: first.layout.codecs, origin: first.times.lowerBound)
        }
    }

    /// How long the first track waits for the other, in nanoseconds.
    private static let patience: UInt64 = 3_000_000_000

    private let state = Mutex(State())
    private let news: AsyncStream<News>.Continuation
    private let mindsSize: Bool

    /// - Parameters:
    ///   - mindsSize: whether another picture size needs another file.
    ///   - news: hears when a file or a keyframe is needed.
    init(mindsSize: Bool, news: AsyncStream<News>.Continuation) {
        self.mindsSize = mindsSize
        self.news = news
    }

    /// The tracks to wait for.
    func expect(_ kinds: some Sequence<MediaKind>) { state.withLock { $0.expected = Set(kinds) } }

    /// Takes one sample, from one thread per kind; what bears no time cannot be recorded.
    func accept(_ sample: MediaSample, kind: MediaKind, codec: Codec) {
        guard let time = sample.presentationTime else { return }
        let (take, wish) = state.withLock { state -> (RecordingTake?, News?) in
            guard !state.isClosed else { return (nil, nil) }
            if let take = state.take(for: sample, kind, codec, at: time, mindsSize: mindsSize) {
                return (take, nil)
            }
            let wasWaiting = state.isWaitingForKeyframe
            state.hold(sample, kind, codec, at: time, mindsSize: mindsSize)
            if state.isWaitingForKeyframe, !wasWaiting { return (nil, .keyframeWanted) }
            return (nil, state.openingIfDue(patience: Self.patience).map(News.fileDue))
        }
        take?.write(sample, kind: kind)  // never into GStreamer under the lock
        if let wish { news.yield(wish) }
    }

    /// Hands what was held for it to `take`, which writes everything that fits from then on.
    ///
    /// - Returns: what is needed by then.
    func open(_ take: RecordingTake) -> News? {
        while let samples = nextSamples(for: take) {
            for (kind, sample) in samples { take.write(sample, kind: kind) }
        }
        return state.withLock { state in
            if state.isWaitingForKeyframe { return .keyframeWanted }
            return state.openingIfDue(patience: Self.patience).map(News.fileDue)
        }
    }

    /// What the first batch holds by now; nil, and the file is open, when that is nothing.
    private func nextSamples(for take: RecordingTake) -> [(MediaKind, MediaSample)]? {
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

extension Caps {
    /// Width and height, where the stream has them.
    fileprivate var size: [Int?] { [int("width"), int("height")] }
}
