internal import CallCore
internal import GStreamerKit

/// One file of a recording: a muxer fed with encoded samples, never re-encoding.
@MediaActor
final class RecordingWriter {
    let path: String
    let codecs: [RecordingTrack: Codec]
    /// Nanoseconds since the shared epoch that the file's time zero stands for.
    let origin: UInt64

    private let pipeline: Pipeline
    private let backlog: RecordingBuffer
    /// Whether the muxer goes on where it is told that a track is silent.
    private let heedsGaps: Bool
    /// What fills the silence of a muxer that does not: a packet of Opus that says nothing.
    private var silence: MediaSample?
    private let sources: [RecordingTrack: AppSource]
    /// Reads the bus until the file is closed or has failed.
    private let ending: Task<MediaFailure?, Never>
    /// Passes the backlog on until the file is closed.
    private var flusher: Task<Void, Never>?
    /// Tells, once, that something was left out; then nil.
    private var warn: (@Sendable (String) -> Void)?

    /// The end of each track so far; nanoseconds since the shared epoch.
    private var ends: [RecordingTrack: UInt64]
    /// Where each track's last sample begins; nanoseconds since the shared epoch.
    private var starts: [RecordingTrack: UInt64] = [:]
    /// What the containers' clocks tell apart; nanoseconds.
    private static let smallestStep: UInt64 = 1_000_000

    /// How far one track may run ahead before the muxer is told that the other is silent.
    private static let patience: UInt64 = 1_000_000_000
    /// The longest duration believed of a sample: streams tell their own.
    private static let longestSample: UInt64 = 1_000_000_000
    /// Nanoseconds.
    private static let silenceLength: UInt64 = 20_000_000
    /// Longer gaps are not filled without a break.
    private static let longestSilence: UInt64 = 10_000_000_000
    /// Durations have 32 bits in MP4, at 48 kHz a day's worth.
    private static let longestPacket: UInt64 = 3_600_000_000_000
    private static let closingLimit = Duration.seconds(10)
    /// How long samples gather; with the half second that Matroska's muxer gathers, `kill -9` loses no more.
    private static let gatheringTime = Duration.milliseconds(200)

    /// Opens the file; `failures` hears of a full disk and the like while it writes.
    ///
    /// The tracks of an `isTitled` file bear the name of their side. At most `mostBytes` wait for the disk; `warn` hears, once, that it is too slow.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        path: String,
        container: Container,
        codecs: [RecordingTrack: Codec],
        isTitled: Bool = false,
        origin: UInt64,
        library: PipelineLibrary,
        mostBytes: Int = 64_000_000,
        failures: AsyncStream<MediaFailure>.Continuation,
        warn: @escaping @Sendable (String) -> Void
    ) throws {
        self.path = path
        self.warn = warn
        backlog = RecordingBuffer(mostBytes: mostBytes)
        self.codecs = codecs
        self.origin = origin
        let description = try Self.description(container, codecs, isTitled: isTitled, library)
        let pipeline = try Pipeline(parsing: description, name: "recorder")
        pipeline.element(named: "file")?.set("location", path)
        let muxer = pipeline.element(named: "mux").map { Muxer($0.object) }
        heedsGaps = muxer?.heedGaps() ?? false
        // Parameter sets go with the pictures; where they say something else MP4 is not asked to go on.
        muxer?.keepFirstCaps()
        sources = [RecordingTrack: AppSource](
            uniqueKeysWithValues: codecs.keys.compactMap { track in
                // The plain name is that of descriptions that know but one side.
                (pipeline.element(named: track.name) ?? pipeline.element(named: track.kind.rawValue))
                    .map { (track, AppSource($0, pinsCaps: true)) }
            }
        )
        self.pipeline = pipeline
        ends = codecs.mapValues { _ in origin }
        let messages = pipeline.messages
        ending = Task { [backlog] in
            for await message in messages {
                switch message {
                case .endOfStream: return nil
                case .error(_, _, let text, let debug):
                    let failure = Self.failure(text, debug: debug, path: path)
                    failures.yield(failure)
                    _ = backlog.close()  // nobody will take it
                    return failure
                default: break
                }
            }
            return Self.failure("closing it took too long", debug: "", path: path)
        }
        // Where the file cannot be opened the bus tells why, and `ending` passes it on.
        try? pipeline.setState(.playing)
        flusher = Task { [weak self, arrivals = backlog.arrivals] in
            for await _ in arrivals {
                guard (try? await Task.sleep(for: Self.gatheringTime)) != nil else { return }
                self?.flush()
            }
        }
    }

    private static func description(
        _ container: Container,
        _ codecs: [RecordingTrack: Codec],
        isTitled: Bool,
        _ library: PipelineLibrary
    ) throws(MediaFailure) -> String {
        var description = try library.description("recorders/\(container)")
        for (track, codec) in codecs.sorted(by: { $0.key < $1.key }) {
            let name = codec == .h264 ? "h264-\(container)" : codec.pipelineName
            let title = isTitled ? "taginject tags=title=\(track.side.rawValue) ! " : ""
            let values = ["track": track.name, "muxer": "\(title)mux."]
            description += "\n" + (try library.description("recorders/\(name)", values))
        }
        return description
    }

    /// Takes one sample, which is written within a fraction of a second; from any thread, never waits.
    nonisolated func write(_ sample: MediaSample, track: RecordingTrack) {
        guard let due = sample.presentationTime, due >= origin else { return }
        backlog.append(sample, track: track)
    }

    private func flush() { pass(backlog.takeAll()) }

    private func pass(_ batch: (items: [RecordingBuffer.Item], hasLost: Bool)) {
        var isWhole = !batch.hasLost
        for item in batch.items where !put(item.sample, item.track) { isWhole = false }
        guard !isWhole, let warn else { return }
        warn("\(path) lacks a part of the call: the disk is too slow")
        self.warn = nil
    }

    /// - Returns: false where the pipeline takes no more.
    private func put(_ sample: MediaSample, _ track: RecordingTrack) -> Bool {
        guard let source = sources[track], let due = sample.presentationTime else { return true }
        let time = afterLast(track, due)
        // Live streams are sent in the order in which they are shown.
        let isTaken = source.push(sample.shifted(to: time - origin, decodeTime: time - origin))
        if track.kind == .audio, !heedsGaps, silence == nil {
            silence = OpusSilence.replacing(sample, lasting: Self.silenceLength)
        }
        let duration = min(sample.duration ?? 0, Self.longestSample)
        for (other, gap) in gaps(after: time, lasting: duration, of: track) {
            if heedsGaps {
                let length = gap.upperBound - gap.lowerBound
                sources[other]?.pushGap(at: gap.lowerBound - origin, duration: length)
            } else if other.kind == .audio {
                fill(gap, of: other)
            }
        }
        return isTaken
    }

    /// When packets of silence are due in a gap of the sound; nanoseconds.
    ///
    /// Without a break where people might listen; but in a long gap, as between two calls, each lasts as long as
    /// the container lets it.
    private static func silences(in gap: Range<UInt64>) -> [UInt64] {
        guard gap.upperBound - gap.lowerBound > longestSilence else {
            return Array(stride(from: gap.lowerBound, to: gap.upperBound, by: Int(silenceLength)))
        }
        let end = gap.upperBound - silenceLength
        return Array(stride(from: gap.lowerBound, to: end, by: Int(longestPacket))) + [end]
    }

    private func fill(_ gap: Range<UInt64>, of track: RecordingTrack) {
        guard let silence else { return }
        for due in Self.silences(in: gap) {
            let time = afterLast(track, due) - origin
            sources[track]?.push(silence.shifted(to: time, decodeTime: time))
        }
    }

    /// `time`, or a little after the last sample where the jitter buffer has set its clock back; players stumble
    /// over time stamps that return.
    private func afterLast(_ track: RecordingTrack, _ time: UInt64) -> UInt64 {
        let next = starts[track].map { max(time, $0 + Self.smallestStep) } ?? time
        starts[track] = next
        return next
    }

    /// The silences of other tracks that a sample at `time` shows; nanoseconds since the shared epoch.
    private func gaps(
        after time: UInt64,
        lasting duration: UInt64,
        of track: RecordingTrack
    ) -> [RecordingTrack: Range<UInt64>] {
        ends[track] = max(ends[track] ?? 0, time &+ duration)
        guard time > Self.patience else { return [:] }
        // A muxer that is told of a gap before a track's first sample writes a header that lacks its format.
        let late = ends.filter {
            $0.key != track && starts[$0.key] != nil && $0.value < time - Self.patience
        }
        let until = time - Self.patience / 2
        for other in late.keys { ends[other] = until }
        return late.mapValues { $0..<until }
    }

    /// Closes the file; goes on where the calling task is cancelled, or the file would lose its index.
    ///
    /// - Returns: how long it plays, in seconds.
    /// - Throws: `MediaFailure.recording` where the muxer or the disk failed.
    func finish() async throws -> Double {
        flusher?.cancel()
        await flusher?.value
        pass(backlog.close())
        for source in sources.values { source.endOfStream() }
        let limit = Task { [ending] in
            guard (try? await Task.sleep(for: Self.closingLimit)) != nil else { return }
            ending.cancel()
        }
        let failure = await ending.value
        limit.cancel()
        await limit.value
        try? pipeline.setState(.null)
        if let failure { throw failure }
        return seconds
    }

    nonisolated static func failure(_ text: String, debug: String, path: String) -> MediaFailure {
        let isFull = debug.contains("No space left") || text.contains("No space left")
        return .recording(
            message: "\(path) could not be written: \(isFull ? "the disk is full" : text)",
            hint: isFull ? "what was written plays; free some space" : "see whether the file can be written"
        )
    }

    private var seconds: Double {
        let end = ends.values.max() ?? origin
        return Double(end - origin) / 1e9
    }
}
