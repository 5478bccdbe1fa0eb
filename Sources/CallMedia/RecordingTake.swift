internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// One file of a recording: a muxer fed with encoded samples, never re-encoding.
@MediaActor
final class RecordingTake {
    let path: String
    let codecs: [MediaKind: Codec]
    /// Nanoseconds since the shared epoch that the file's time zero stands for.
    let origin: UInt64

    private let pipeline: Pipeline
    /// Whether the muxer goes on where it is told that a track is silent.
    private nonisolated let heedsGaps: Bool
    /// What fills the silence of a muxer that does not: a packet of Opus that says nothing.
    private let silence = Mutex<MediaSample?>(nil)
    private let sources: [MediaKind: AppSource]
    /// Reads the bus until the file is closed or has failed.
    private let ending: Task<MediaFailure?, Never>

    /// The end of each track so far; nanoseconds since the shared epoch.
    private let ends: Mutex<[MediaKind: UInt64]>
    /// Where each track's last sample begins; nanoseconds since the shared epoch.
    private let starts = Mutex<[MediaKind: UInt64]>([:])
    /// What the containers' clocks tell apart; nanoseconds.
    private nonisolated static let smallestStep: UInt64 = 1_000_000

    /// How far one track may run ahead before the muxer is told that the other is silent.
    private nonisolated static let patience: UInt64 = 1_000_000_000
    /// The longest duration believed of a sample: streams tell their own.
    private nonisolated static let longestSample: UInt64 = 1_000_000_000
    /// Nanoseconds.
    private nonisolated static let silenceLength: UInt64 = 20_000_000
    private nonisolated static let closingLimit = Duration.seconds(10)

    /// Opens the file; `failures` hears of a full disk and the like while it writes.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        path: String,
        container: Container,
        codecs: [MediaKind: Codec],
        origin: UInt64,
        library: PipelineLibrary,
        failures: AsyncStream<MediaFailure>.Continuation
    ) throws {
        self.path = path
        self.codecs = codecs
        self.origin = origin
        var description = try library.description("recorders/\(container)")
        for codec in [MediaKind.video, .audio].compactMap({ codecs[$0] }) {
            let name = codec == .h264 ? "h264-\(container)" : codec.pipelineName
            description += "\n" + (try library.description("recorders/\(name)"))
        }
        let pipeline = try Pipeline(parsing: description, name: "recorder")
        pipeline.element(named: "file")?.set("location", path)
        heedsGaps = pipeline.element(named: "mux").map { Muxer($0.object).heedGaps() } ?? false
        sources = [MediaKind: AppSource](
            uniqueKeysWithValues: codecs.keys.compactMap { kind in
                pipeline.element(named: kind.rawValue).map { (kind, AppSource($0, pinsCaps: true)) }
            }
        )
        self.pipeline = pipeline
        ends = Mutex(codecs.mapValues { _ in origin })
        let messages = pipeline.messages
        ending = Task {
            for await message in messages {
                switch message {
                case .endOfStream: return nil
                case .error(_, let text, let debug):
                    let failure = Self.failure(text, debug: debug, path: path)
                    failures.yield(failure)
                    return failure
                default: break
                }
            }
            return Self.failure("closing it took too long", debug: "", path: path)
        }
        // Where the file cannot be opened the bus tells why, and `ending` passes it on.
        try? pipeline.setState(.playing)
    }

    /// Writes one sample; from one thread per kind.
    nonisolated func write(_ sample: MediaSample, kind: MediaKind) {
        guard let source = sources[kind], let due = sample.presentationTime, due >= origin else { return }
        let time = afterLast(kind, due)
        // Live streams are sent in the order in which they are shown.
        source.push(sample.shifted(to: time - origin, decodeTime: time - origin))
        if kind == .audio, !heedsGaps { keepSilence(like: sample) }
        let duration = min(sample.duration ?? 0, Self.longestSample)
        for (other, gap) in gaps(after: time, lasting: duration, of: kind) {
            if heedsGaps {
                let length = gap.upperBound - gap.lowerBound
                sources[other]?.pushGap(at: gap.lowerBound - origin, duration: length)
            } else if other == .audio {
                fill(gap)
            }
        }
    }

    private nonisolated func keepSilence(like sample: MediaSample) {
        silence.withLock { silence in
            if silence == nil { silence = OpusSilence.replacing(sample, lasting: Self.silenceLength) }
        }
    }

    private nonisolated func fill(_ gap: Range<UInt64>) {
        guard let silence = silence.withLock({ $0 }) else { return }
        for due in stride(from: gap.lowerBound, to: gap.upperBound, by: Int(Self.silenceLength)) {
            let time = afterLast(.audio, due) - origin
            sources[.audio]?.push(silence.shifted(to: time, decodeTime: time))
        }
    }

    /// `time`, or a little after the last sample where the jitter buffer has set its clock back; players stumble
    /// over time stamps that return.
    private nonisolated func afterLast(_ kind: MediaKind, _ time: UInt64) -> UInt64 {
        starts.withLock { starts in
            let next = starts[kind].map { max(time, $0 + Self.smallestStep) } ?? time
            starts[kind] = next
            return next
        }
    }

    /// The silences of other tracks that a sample at `time` shows; nanoseconds since the shared epoch.
    private nonisolated func gaps(
        after time: UInt64,
        lasting duration: UInt64,
        of kind: MediaKind
    ) -> [MediaKind: Range<UInt64>] {
        ends.withLock { ends in
            ends[kind] = max(ends[kind] ?? 0, time &+ duration)
            guard time > Self.patience else { return [:] }
            let late = ends.filter { $0.key != kind && $0.value < time - Self.patience }
            let until = time - Self.patience / 2
            for other in late.keys { ends[other] = until }
            return late.mapValues { $0..<until }
        }
    }

    /// Closes the file; goes on where the calling task is cancelled, or the file would lose its index.
    ///
    /// - Returns: how long it plays, in seconds.
    /// - Throws: `MediaFailure.recording` where the muxer or the disk failed.
    func finish() async throws -> Double {
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

    private nonisolated static func failure(_ text: String, debug: String, path: String) -> MediaFailure {
        let isFull = debug.contains("No space left") || text.contains("No space left")
        return .recording(
            message: "\(path) could not be written: \(isFull ? "the disk is full" : text)",
            hint: isFull ? "what was written plays; free some space" : "see whether the file can be written"
        )
    }

    private var seconds: Double {
        let end = ends.withLock { $0.values.max() } ?? origin
        return Double(end - origin) / 1e9
    }
}
