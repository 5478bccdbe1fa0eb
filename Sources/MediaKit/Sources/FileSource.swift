internal import Basics
internal import GStreamerKit

/// A media file or URL whose streams are sent without re-encoding if the peers accept them.
///
/// It remains prerolled until the first connection is established, so that the first packet is from a
/// keyframe. It is looped if it is seekable and is not to be played only once; the loop has no gap if the
/// demuxer supports segment seeks.
@MediaActor
final class FileSource: LocalSource {
    let tracks: [SourceTrack]

    private let pipeline: Pipeline
    private let place: MediaURL
    private let settings: SourceSettings
    private let timeline = LoopTimeline()
    private let readAhead: ReadAhead
    /// The gateway that loads a playlist; nil for a file, or for a URL that is not a playlist.
    private let gateway: (any PlaylistGateway)?
    /// The duration that is played immediately, not in real time, at the first connection, in nanoseconds.
    private let headStart: UInt64
    private let events: SourceEvents
    private var reader: Task<Void, Never>?
    /// Detects that the server of a URL no longer sends samples; nil for a file.
    private var silence: SilenceWatch?
    private var loopMode = LoopMode.segment
    private var isPlaying = false
    private var hasEnded = false
    private var isBroken = false
    /// Whether damage to the file was reported.
    private var isKnownDamaged = false
    /// The number of times that the source was repeated since the last connection was established.
    private var rounds: UInt64 = 0
    /// The `MediaClock` time at which the last connection was established.
    private var connection: UInt64 = 0
    /// The `MediaClock` time at which the running time was 0.
    private var beginning: UInt64 = 0
    /// The `MediaClock` time at which the pipeline was paused; nil while it plays.
    private var stopping: UInt64?
    private var latestSeek: UInt32?
    /// The sequence number of the seek that a flushing seek replaced last; its segment-done message may still arrive.
    private var voidSeek: UInt32?
    /// Receives each state change of the pipeline, or an error; nil after the file was opened.
    private var start: AsyncThrowingStream<Void, any Error>.Continuation?

    /// The method by which playback returns from the end to the start.
    private enum LoopMode {
        /// A segment seek, which leaves no gap.
        case segment
        /// A flushing seek after the end, for demuxers without segment support.
        case flush
        /// No seek, because the source is not seekable.
        case none
    }

    /// The minimum duration of a looped file; a loop of a shorter file would use too much CPU time.
    private static let shortestLoop: UInt64 = 100_000_000
    private static let openingLimit = Duration.seconds(10)
    /// The duration of each stream that is read ahead, in nanoseconds; twice the head start is added.
    ///
    /// The demuxer sleeps until half of the sum is left. If the head start is played immediately at that time, 1.5 s
    /// are left, as without a head start.
    private static let readingAhead: UInt64 = 3_000_000_000

    /// Opens a file or URL and waits until it can play.
    ///
    /// `gateway` loads a playlist and ends with the source. `decodes` disables passthrough for all streams, and
    /// `events` receives later events of the source.
    ///
    /// - Throws: `MediaFailure`, `GStreamerError`, or `CancellationError`.
    init(
        _ place: MediaURL,
        through gateway: (any PlaylistGateway)? = nil,
        contents: FileContents,
        settings: SourceSettings = SourceSettings(),
        decodes: Bool = false,
        library: PipelineLibrary,
        events: SourceEvents
    ) async throws {
        self.place = place
        self.gateway = gateway
        self.settings = settings
        self.events = events
        let description = try Self.description(of: place, contents, decodes: decodes, library)
        pipeline = try Pipeline(parsing: description, name: "source")
        place.set(in: pipeline)
        pipeline.element(named: "parsed")?.onPadAdded { [timeline] in timeline.correct($0) }
        // Decoded frames would not fit into the queues after the source, and another codec may be re-encoded.
        let isPassedOn = contents.video.map { Self.format(of: $0, decodes: decodes) != .raw } ?? false
        headStart = isPassedOn && contents.video?.codec == .h264 ? settings.headTime : 0
        readAhead = ReadAhead(
            MediaKind.allCases.compactMap { [pipeline] in pipeline.element(named: "\($0)-ahead") },
            enough: Self.readingAhead + 2 * headStart
        )
        tracks = Self.tracks(of: contents, decodes: decodes, in: pipeline)
        listen()
        if place.isAddress {
            silence = SilenceWatch(tracks) { [weak self] in
                self?.report(place.failure("no more data arrives"))
            }
        }
        do { try await preroll() } catch {
            await close()
            throw error
        }
    }

    /// Returns the text of the pipeline: a demuxer and a branch for each stream.
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

    /// Returns the format of a stream's samples: encoded if it can be sent without re-encoding, else raw.
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

    /// Waits for the PAUSED state, then seeks to the start position and waits for PAUSED again.
    private func preroll() async throws {
        let (reached, start) = AsyncThrowingStream.makeStream(of: Void.self, throwing: (any Error).self)
        self.start = start
        defer { self.start = nil }
        do { try pipeline.setState(.paused) } catch {
            start.finish(throwing: place.failure("it cannot be opened"))
        }
        let end: Void? = try await withDeadline(Self.openingLimit) { [weak self] in
            var reached = reached.makeAsyncIterator()
            try await reached.next()
            if try await self?.rewind() == true { try await reached.next() }
        }
        guard end != nil else { throw place.failure("playback does not begin within 10 s") }
        try Task.checkCancellation()
    }

    /// Seeks to the start position if the file is seekable, and sets `loopMode` accordingly.
    ///
    /// - Returns: whether the pipeline prerolls again.
    private func rewind() throws -> Bool {
        let length = pipeline.duration ?? 0
        timeline.setLength(length)
        guard length == 0 || settings.startTime < length else {
            throw MediaFailure.source(
                message: "\(place.name) lasts \(Double(length / 1_000_000) / 1000) s, and --start is later",
                hint: "give a smaller --start"
            )
        }
        if pipeline.isSeekable {
            // After a segment seek, tsdemux outputs nothing more, although the seek seems to succeed.
            let hasSegments = gateway != nil || !pipeline.contains(from: "tsdemux")
            if !settings.isPlayedOnce, hasSegments, seek(to: settings.startTime, flushing: true) {
                return true
            }
            loopMode = .flush
            if seek(to: settings.startTime, flushing: true) { return true }
        }
        loopMode = .none
        guard settings.start == .zero else {
            throw MediaFailure.source(
                message: "\(place.name) is not seekable, so it cannot begin at --start",
                hint: "omit --start, or download the file first"
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
        case .warning(_, let text): reportDamage(text)
        default: break
        }
    }

    private func report(_ failure: MediaFailure) {
        if let start { return start.finish(throwing: failure) }
        // Further errors, by other elements, result from the first error.
        if !isBroken { events.failed(failure) }
        isBroken = true
    }

    /// Reports damage to the file once; decoders skip the parts that they cannot read.
    private func reportDamage(_ text: String) {
        guard !isKnownDamaged else { return }
        isKnownDamaged = true
        events.warn("\(place.name) is damaged, and unreadable parts are skipped: \(text)")
    }

    /// Counts a repetition, and returns whether to play the source again.
    ///
    /// Repetitions that follow each other too quickly are reported as a failure, because the file must end
    /// before the duration in its header.
    private func startsNextRound() -> Bool {
        let length = pipeline.duration ?? pipeline.position ?? 0
        guard length >= Self.shortestLoop else { return false }
        rounds += 1
        let round = max(Self.shortestLoop, length - min(length, settings.startTime))
        let early = Self.readingAhead + 3 * headStart
        let maximum = (MediaClock.shared.now - connection + early) / round + 3
        if isPlaying, rounds > maximum {
            hasEnded = true
            report(place.failure("it ends before the duration in its header"))
        }
        return !hasEnded
    }

    private func playAgain() {
        guard startsNextRound() else { return }
        if !seek(to: settings.startTime, flushing: false) { report(place.failure("it cannot be rewound")) }
    }

    /// Handles the end of the stream.
    private func end() {
        guard !hasEnded else { return }
        switch loopMode {
        case _ where settings.isPlayedOnce: reportEnd()
        case .segment, .flush:
            guard startsNextRound() else { return }
            loopMode = .flush
            do { try begin(at: settings.startTime) } catch { report(place.failure("it cannot be rewound")) }
        case .none:
            guard case .file = place else { return report(place.failure("it has ended")) }
            reportEnd()
        }
    }

    private func reportEnd() {
        silence?.set(isOn: false)
        hasEnded = true
        events.ended(place.shortName)
    }

    private func seek(to position: UInt64, flushing: Bool) -> Bool {
        if flushing { voidSeek = latestSeek }
        latestSeek = pipeline.seek(to: position, flushing: flushing, loops: loopMode == .segment)
        return latestSeek != nil
    }

    func connectionIsUp() throws {
        (connection, rounds) = (MediaClock.shared.now, 0)
        guard isPlaying else {
            let head = loopMode == .segment ? min(connection, headStart) : 0
            return try play(from: connection - head)
        }
        // The peer's decoder is new, so begin at the keyframe before the current frame.
        if loopMode != .none { return try begin(at: hasEnded ? settings.startTime : pipeline.position ?? 0) }
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
        await gateway?.finish()
        try? pipeline.setState(.null)
        await gateway?.close()
    }
}
