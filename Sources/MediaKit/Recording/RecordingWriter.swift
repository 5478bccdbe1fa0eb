internal import Basics
internal import GStreamerKit

/// A file of a recording: a muxer fed with encoded samples, without re-encoding.
@MediaActor
final class RecordingWriter {
    struct Item: QueuedSample {
        var track: RecordingTrack
        var sample: MediaSample
    }

    let path: String
    let codecs: [RecordingTrack: Codec]
    /// The time that corresponds to timestamp 0 in the file, in nanoseconds since the `MediaClock` epoch.
    let origin: UInt64

    private let file: MuxedFile
    private let buffer: RecordingBuffer<Item>
    /// Whether the muxer handles gap events, so that a track without samples does not block the others.
    private let acceptsGaps: Bool
    /// A silent Opus packet, which fills gaps for a muxer that ignores gap events.
    private var silence: MediaSample?
    private let sources: [RecordingTrack: AppSource]
    /// The task that writes the buffered samples until the file is closed.
    private var flusher: Task<Void, Never>?
    /// Called with a warning when samples were dropped; nil after the first warning.
    private var warn: (@Sendable (String) -> Void)?

    /// The end of each track so far in nanoseconds since the `MediaClock` epoch.
    private var ends: [RecordingTrack: UInt64]
    /// The start of each track's last sample in nanoseconds since the `MediaClock` epoch.
    private var starts: [RecordingTrack: UInt64] = [:]
    /// The resolution of the containers' timestamps in nanoseconds.
    private static let smallestStep: UInt64 = 1_000_000

    /// The lead of one track in nanoseconds at which the other tracks are considered to have a gap.
    private static let maximumLead: UInt64 = 1_000_000_000
    /// The duration of a silent packet in nanoseconds.
    private static let silenceLength: UInt64 = 20_000_000
    /// The longest gap in nanoseconds that is filled with contiguous packets.
    private static let longestSilence: UInt64 = 10_000_000_000
    /// The maximum time from one silent packet to the next in nanoseconds.
    ///
    /// MP4 stores it as a duration of 32 bits, which is limited to about a day at 48 kHz.
    private static let longestPacket: UInt64 = 3_600_000_000_000
    /// The time for which samples are buffered.
    ///
    /// SIGKILL loses these samples and another half second that the Matroska muxer buffers.
    private static let gatheringTime = Duration.milliseconds(200)

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - target: the open file; nil to open the file at `path`.
    ///   - container: the container format.
    ///   - codecs: the tracks of the file and their codecs.
    ///   - isTitled: whether the title of each track is the name of its side.
    ///   - origin: the time of timestamp 0 in the file, in nanoseconds since the `MediaClock` epoch.
    ///   - library: the library that contains the pipeline templates.
    ///   - maximumBytes: the maximum number of bytes to buffer.
    ///   - failures: receives a failure while writing, such as a full disk.
    ///   - broken: called with the reason if a sample cannot be written; no later samples are written.
    ///   - warn: called at most once, with a warning that the disk is too slow.
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        path: String,
        target: WritableFile? = nil,
        container: Container,
        codecs: [RecordingTrack: Codec],
        isTitled: Bool = false,
        origin: UInt64,
        library: PipelineLibrary,
        maximumBytes: Int = 64_000_000,
        failures: AsyncStream<MediaFailure>.Continuation,
        broken: @escaping @Sendable (_ reason: String) -> Void = { _ in },
        warn: @escaping @Sendable (String) -> Void
    ) throws {
        self.path = path
        self.warn = warn
        let buffer = RecordingBuffer<Item>(maximumBytes: maximumBytes)
        self.buffer = buffer
        self.codecs = codecs
        self.origin = origin
        let description = try Self.description(container, codecs, isTitled: isTitled, library)
        file = try MuxedFile(path: path, target: target, description) { failure in
            failures.yield(failure)
            _ = buffer.close()  // the pipeline accepts no more samples
        } broken: { reason in
            _ = buffer.close()
            broken(reason)
        }
        let pipeline = file.pipeline
        let muxer = pipeline.element(named: "mux").map { Muxer($0.object) }
        acceptsGaps = muxer?.acceptGaps() ?? false
        // Later caps can be ignored: parameter sets are also in band, and for MP4 a change of them starts a
        // new file.
        muxer?.keepFirstCaps()
        sources = [RecordingTrack: AppSource](
            uniqueKeysWithValues: codecs.keys.compactMap { track in
                // Templates for a single side use only the kind as name.
                (pipeline.element(named: track.name) ?? pipeline.element(named: track.kind.rawValue))
                    .map { (track, AppSource($0, pinsCaps: true)) }
            }
        )
        ends = codecs.mapValues { _ in origin }
        file.start()
        flusher = Task { [weak self, arrivals = buffer.arrivals] in
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

    /// Queues a sample, which is written within a fraction of a second; callable on any thread, never blocks.
    ///
    /// A sample without a time, or with one before `origin`, is dropped.
    nonisolated func write(_ sample: MediaSample, track: RecordingTrack) {
        guard let due = sample.presentationTime, due >= origin else { return }
        buffer.append(Item(track: track, sample: sample))
    }

    /// Whether the file accepts no more samples.
    nonisolated var isClosed: Bool { buffer.isClosed }

    private func flush() { pass(buffer.takeAll()) }

    private func pass(_ batch: (items: [Item], hasLost: Bool)) {
        var isWhole = !batch.hasLost
        for item in batch.items where !put(item.sample, item.track) { isWhole = false }
        guard !isWhole, let warn else { return }
        warn("\(path) lacks a part of the call: the disk is too slow")
        self.warn = nil
    }

    /// Writes a sample to the muxer.
    ///
    /// - Returns: false if the pipeline accepts no more samples.
    private func put(_ sample: MediaSample, _ track: RecordingTrack) -> Bool {
        guard let source = sources[track], let due = sample.presentationTime else { return true }
        let time = afterLast(track, due)
        // Live streams are not reordered, so the decode time equals the presentation time.
        let isTaken = source.push(sample.shifted(to: time - origin, decodeTime: time - origin))
        if track.kind == .audio, !acceptsGaps, silence == nil {
            silence = OpusSilence.replacing(sample, lasting: Self.silenceLength)
        }
        let duration = sample.plausibleDuration
        for (other, gap) in gaps(after: time, lasting: duration, of: track) {
            if acceptsGaps {
                let length = gap.upperBound - gap.lowerBound
                sources[other]?.pushGap(at: gap.lowerBound - origin, duration: length)
            } else if other.kind == .audio {
                fill(gap, of: other)
            }
        }
        return isTaken
    }

    /// Returns the times of the silent packets that fill an audio gap, in nanoseconds.
    ///
    /// In a short gap, which a listener may hear, the packets are contiguous. In a long gap, such as between
    /// two calls, there is only one packet per `longestPacket` and one at the end.
    ///
    /// - Parameter gap: the gap in nanoseconds since the `MediaClock` epoch.
    /// - Returns: the start of each packet.
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

    /// Returns `time`, or a time just after the track's last sample if that is later.
    ///
    /// The jitter buffer may set its clock back, but players cannot handle decreasing timestamps.
    ///
    /// - Parameters:
    ///   - track: the track of the sample.
    ///   - time: the time of the sample.
    /// - Returns: the time to write.
    private func afterLast(_ track: RecordingTrack, _ time: UInt64) -> UInt64 {
        let next = starts[track].map { max(time, $0 + Self.smallestStep) } ?? time
        starts[track] = next
        return next
    }

    /// Returns the gaps of the other tracks that are more than `maximumLead` behind a sample at `time`, in
    /// nanoseconds since the `MediaClock` epoch.
    private func gaps(
        after time: UInt64,
        lasting duration: UInt64,
        of track: RecordingTrack
    ) -> [RecordingTrack: Range<UInt64>] {
        ends[track] = max(ends[track] ?? 0, time &+ duration)
        guard time > Self.maximumLead else { return [:] }
        // A gap event before a track's first sample makes the muxer write a header without the track's
        // format.
        let late = ends.filter {
            $0.key != track && starts[$0.key] != nil && $0.value < time - Self.maximumLead
        }
        let until = time - Self.maximumLead / 2
        for other in late.keys { ends[other] = until }
        return late.mapValues { $0..<until }
    }

    /// Closes the file, even if the calling task is cancelled; otherwise the file would have no index.
    ///
    /// - Returns: the duration of the file in seconds.
    /// - Throws: `MediaFailure.recording` if the muxer or the disk failed.
    func finish() async throws -> Double {
        flusher?.cancel()
        await flusher?.value
        pass(buffer.close())
        for source in sources.values { source.endOfStream() }
        try await file.finish()
        return seconds
    }

    nonisolated static func failure(_ text: String, debug: String, path: String) -> MediaFailure {
        let isFull = debug.contains("No space left") || text.contains("No space left")
        return .recording(
            message: "\(path) could not be written: \(isFull ? "the disk is full" : text)",
            hint: isFull
                ? "the part written so far is playable; free some space" : "check that the file is writable"
        )
    }

    private var seconds: Double {
        let end = ends.values.max() ?? origin
        return Double(end - origin) / 1e9
    }
}
