internal import CallCore
internal import GStreamerKit

/// A medium with streams of its own, in a file or behind an address; what peers accept passes through un-decoded.
///
/// It stands prerolled until the first connection is up, so that the first packet out is a keyframe. It is looped
/// without a gap where it can be sought in; what cannot is played once, from wherever it is.
@MediaActor
final class FileSource: LocalSource {
    let tracks: [SourceTrack]

    private let pipeline: Pipeline
    private let place: MediaURL
    private let settings: SourceSettings
    private let timeline = LoopTimeline()
    private let readAhead: ReadAhead
    private let news: SourceEvents
    private var reader: Task<Void, Never>?
    /// Of an address, whose server may fall silent.
    private var silence: SilenceWatch?
    private var turn = Turn.segment
    private var isPlaying = false
    private var hasEnded = false
    private var isBroken = false
    /// Whether damage has been told of.
    private var isKnownDamaged = false
    /// Rounds that have ended since the last connection came up, and when that was.
    private var rounds: UInt64 = 0
    private var connection: UInt64 = 0
    /// Where running time began, and when it was stopped, on the shared time line.
    private var beginning: UInt64 = 0
    private var stopping: UInt64?
    private var latestSeek: UInt32?
    /// The seek that a flush made void; the end of its segment may still be on its way.
    private var voidSeek: UInt32?
    /// Hears, while the file is opened, what the pipeline reaches; nil stands for an error told.
    private var start: AsyncThrowingStream<Void, any Error>.Continuation?

    /// How the end is followed by the beginning.
    private enum Turn {
        /// A segment seek, which leaves no gap.
        case segment
        /// A seek after the end, for demuxers that know no segments.
        case flush
        /// Not at all: it cannot be sought in.
        case none
    }

    /// A shorter file is played once: a loop would turn in haste.
    private static let shortestLoop: UInt64 = 100_000_000
    private static let openingLimit = Duration.seconds(10)
    /// Nanoseconds of every stream that are read at once.
    private static let readingAhead: UInt64 = 3_000_000_000

    /// Opens `place` and waits until it could play; `news` hears of what becomes of it later.
    ///
    /// `decodes` says that nothing is to be passed through.
    ///
    /// - Throws: `MediaFailure`, or `CancellationError`.
    init(
        _ place: MediaURL,
        contents: FileContents,
        settings: SourceSettings = SourceSettings(),
        decodes: Bool = false,
        library: PipelineLibrary,
        news: SourceEvents
    ) async throws {
        self.place = place
        self.settings = settings
        self.news = news
        let description = try Self.description(of: place, contents, decodes: decodes, library)
        pipeline = try Pipeline(parsing: description, name: "source")
        place.set(in: pipeline)
        pipeline.element(named: "parsed")?.onPadAdded { [timeline] in timeline.correct($0) }
        readAhead = ReadAhead(
            MediaKind.allCases.compactMap { [pipeline] in pipeline.element(named: "\($0)-ahead") },
            enough: Self.readingAhead
        )
        tracks = Self.tracks(of: contents, decodes: decodes, in: pipeline)
        listen()
        if place.isAddress {
            silence = SilenceWatch(tracks) { [weak self] in
                self?.report(place.failure("nothing comes any more"))
            }
        }
        do { try await preroll() } catch {
            await close()
            throw error
        }
    }

    /// What takes the medium apart, and a branch for each of its streams.
    static func description(
        of place: MediaURL,
        _ contents: FileContents,
        decodes: Bool,
        _ library: PipelineLibrary
    ) throws -> String {
        var description = try library.description(place.pipeline)
        for (kind, stream) in [(MediaKind.video, contents.video), (.audio, contents.audio)] {
            guard let stream else { continue }
            let branch =
                format(of: stream, decodes: decodes) == .raw
                ? try library.description("streams/\(kind)", ["caps": stream.caps.mediaType])
                : try library.description("streams/\(stream.codec?.pipelineName ?? "")")
            description += "\n" + branch
        }
        return description
    }

    /// How a stream leaves the file.
    static func format(of stream: FileContents.Stream, decodes: Bool) -> SourceTrack.Format {
        guard !decodes, FileContents.obstacle(to: stream) == nil, let codec = stream.codec else {
            return .raw
        }
        return .encoded(codec, h264: stream.h264)
    }

    private static func tracks(of contents: FileContents, decodes: Bool, in pipeline: Pipeline)
        -> [SourceTrack]
    {
        let weak = PipelineTime(pipeline)
        return [(MediaKind.video, contents.video), (.audio, contents.audio)].compactMap { kind, stream in
            guard let stream, let sink = pipeline.element(named: kind.rawValue) else { return nil }
            return SourceTrack(
                kind: kind,
                format: format(of: stream, decodes: decodes),
                hub: AppSink(sink, offset: { weak.offset }).hub,
                mode: stream.videoMode
            )
        }
    }

    /// Reaches PAUSED, then seeks to the start with a segment seek, which loops need.
    private func preroll() async throws {
        let (reached, start) = AsyncThrowingStream.makeStream(of: Void.self, throwing: (any Error).self)
        self.start = start
        defer { self.start = nil }
        do { try pipeline.setState(.paused) } catch {
            start.finish(throwing: place.failure("it does not open"))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [weak self] in
                var reached = reached.makeAsyncIterator()
                try await reached.next()
                if try await self?.rewind() == true { try await reached.next() }
            }
            group.addTask { [place] in
                try await Task.sleep(for: Self.openingLimit)
                throw place.failure("it does not begin to play within 10 s")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        try Task.checkCancellation()
    }

    /// - Returns: whether the pipeline prerolls anew.
    private func rewind() throws -> Bool {
        let length = pipeline.duration ?? 0
        timeline.setLength(length)
        guard length == 0 || settings.startTime < length else {
            throw MediaFailure.source(
                message: "\(place.name) lasts \(Double(length / 1_000_000) / 1000) s, and is to begin later",
                hint: "give a smaller --start"
            )
        }
        if pipeline.isSeekable {
            if !settings.isPlayedOnce, seek(to: settings.startTime, flushing: true) { return true }
            turn = .flush
            if seek(to: settings.startTime, flushing: true) { return true }
        }
        turn = .none
        guard settings.start == .zero else {
            throw MediaFailure.source(
                message: "\(place.name) cannot be sought in, and so not begin at --start",
                hint: "leave --start out, or fetch the file first"
            )
        }
        return false
    }

    private func listen() {
        let messages = pipeline.messages
        reader = Task { [weak self] in for await message in messages { self?.handle(message) } }
    }

    private func handle(_ message: BusMessage) {
        switch message {
        case .stateReached: start?.yield()
        case .segmentDone(let number) where number != voidSeek: playAgain()
        case .endOfStream where start == nil: end()
        case .error(_, _, let text, _): report(place.failure(text))
        case .warning(_, let text): tellDamage(text)
        default: break
        }
    }

    private func report(_ failure: MediaFailure) {
        if let start { return start.finish(throwing: failure) }
        // What one element's error brings about in others is told by them too.
        if !isBroken { news.failed(failure) }
        isBroken = true
    }

    /// Decoders leave out what they cannot read; once is enough to hear of it.
    private func tellDamage(_ text: String) {
        guard !isKnownDamaged else { return }
        isKnownDamaged = true
        news.warn("\(place.name) is damaged, what cannot be read is left out: \(text)")
    }

    /// Whether there is another round to play; a file that was cut short meanwhile would turn in haste.
    private func turns() -> Bool {
        let length = pipeline.duration ?? pipeline.position ?? 0
        guard length >= Self.shortestLoop else { return false }
        rounds += 1
        let round = max(Self.shortestLoop, length - min(length, settings.startTime))
        let most = (MediaClock.shared.now - connection + Self.readingAhead) / round + 3
        if isPlaying, rounds > most {
            hasEnded = true
            report(place.failure("it ends before its time"))
        }
        return !hasEnded
    }

    private func playAgain() {
        guard turns() else { return }
        if !seek(to: settings.startTime, flushing: false) { report(place.failure("it cannot be rewound")) }
    }

    /// Everything has been played out.
    private func end() {
        guard !hasEnded else { return }
        switch turn {
        case _ where settings.isPlayedOnce: tellEnd()
        case .segment, .flush:
            guard turns() else { return }
            turn = .flush
            do { try begin(at: settings.startTime) } catch { report(place.failure("it cannot be rewound")) }
        case .none:
            guard case .file = place else { return report(place.failure("it has ended")) }
            tellEnd()
        }
    }

    private func tellEnd() {
        silence?.set(isOn: false)
        hasEnded = true
        news.ended(place.shortName)
    }

    private func seek(to position: UInt64, flushing: Bool) -> Bool {
        if flushing { voidSeek = latestSeek }
        latestSeek = pipeline.seek(to: position, flushing: flushing, loops: turn == .segment)
        return latestSeek != nil
    }

    func connectionIsUp() throws {
        (connection, rounds) = (MediaClock.shared.now, 0)
        guard isPlaying else { return try play(from: MediaClock.shared.now) }
        // The far end is new: begin again at the keyframe before the present picture.
        if turn != .none { return try begin(at: hasEnded ? settings.startTime : pipeline.position ?? 0) }
        if hasEnded { throw place.failure("it has ended") }
        guard let stopping else { return }
        try play(from: beginning + (MediaClock.shared.now - stopping))
    }

    private func begin(at position: UInt64) throws {
        try pipeline.setState(.paused)
        _ = seek(to: position, flushing: true)
        try play(from: MediaClock.shared.now)
    }

    private func play(from beginning: UInt64) throws {
        pipeline.follow(.shared, from: beginning)
        try pipeline.setState(.playing)
        (self.beginning, stopping, isPlaying, hasEnded) = (beginning, nil, true, false)
        silence?.set(isOn: true)
    }

    func rest() {
        guard isPlaying, stopping == nil else { return }
        stopping = MediaClock.shared.now
        silence?.set(isOn: false)
        try? pipeline.setState(.paused)
    }

    func close() async {
        reader?.cancel()
        await reader?.value
        await silence?.close()
        readAhead.stop()
        try? pipeline.setState(.null)
    }
}
