internal import Basics
internal import GStreamerKit
internal import Synchronization

/// The writer of a `StreamRecording`, which opens a file once the codecs of the stream are known.
@MediaActor
final class StreamWriter {
    /// A sample with its times in the recording, in nanoseconds.
    private struct Placed {
        let sample: MediaSample
        let kind: MediaKind
        let codec: StreamCodec
        let presentation: Int64
        /// The decoding time; nil if the stream does not specify it.
        var decoding: Int64?

        var start: Int64 { decoding ?? presentation }
        var end: Int64 { presentation + Int64(sample.plausibleDuration) }
    }

    private struct Track {
        let codec: StreamCodec
        let source: AppSource
        var end: Int64
        var lastDecoding: Int64?
        /// The duration in nanoseconds that was written since the last sample of the other track.
        var lead: Int64 = 0
        /// Whether the track has ended in the file, because it lagged too far behind the other one.
        var isOver = false
    }

    private struct OpenFile {
        let file: MuxedFile
        var tracks: [MediaKind: Track]
        /// The time in the recording at which the file begins, in nanoseconds.
        let origin: Int64
        var end: Int64
    }

    /// The maximum time in nanoseconds for which the first samples of a file are held back until each track has some.
    private static let wait: Int64 = 1_000_000_000
    /// The maximum number of bytes that are held back, for a stream without a keyframe.
    private static let maximumHeld = 64_000_000
    /// The lead of a track in nanoseconds at which the file continues without the other one.
    private static let maximumLead: Int64 = 5_000_000_000

    private let file: RecordingFile
    private let library: PipelineLibrary
    private let notify: @Sendable (SavedRecording) -> Void
    private let warn: @Sendable (String) -> Void
    private let failure: FailureSignal
    private var timeline = StreamTimeline()
    /// The caps of each track and the codec that they specify; nil if the container cannot hold it.
    private var codecs: [MediaKind: (caps: Caps, codec: StreamCodec?)] = [:]
    /// The samples that are held back until the next file begins.
    private var held: [Placed] = []
    private var heldBytes = 0
    private var open: OpenFile?
    /// The kinds of tracks that the next file waits for, at most for `wait`.
    private var expected: Set<MediaKind> = Set(MediaKind.allCases)
    private var number = 0
    private var warned: Set<String> = []

    /// Whether a file was opened; false if no sample could be recorded.
    var hasBegun: Bool { number > 0 }
    /// Whether the files lack the audio or the video, because the container cannot hold its codec.
    private(set) var lacksTrack = false

    /// Creates a writer to `file`.
    ///
    /// `notify` is called with each file that is closed, `warn` with a sentence if a part of the stream is missing in a
    /// file, and `failed`, on any thread, when no more samples can be written.
    init(
        _ file: RecordingFile,
        library: PipelineLibrary,
        notify: @escaping @Sendable (SavedRecording) -> Void,
        warn: @escaping @Sendable (String) -> Void,
        failed: @escaping @Sendable () -> Void
    ) {
        (self.file, self.library, self.notify, self.warn) = (file, library, notify, warn)
        failure = FailureSignal(failed)
    }

    /// Writes a sample, or holds it back until the next file begins.
    ///
    /// - Throws: `MediaFailure.recording`.
    func write(_ item: StreamRecording.Item) async throws {
        try failure.check()
        guard let placed = place(item) else { return }
        if let open {
            let track = open.tracks[placed.kind]
            guard track?.codec != placed.codec || track?.isOver == true else { return push(placed) }
            try await closeFile()
        } else if let last = held.last(where: { $0.kind == placed.kind }), last.codec != placed.codec {
            try await close()
        }
        hold(placed)
        try begin()
    }

    /// Closes the current file, after opening one for the samples that are held back.
    ///
    /// - Throws: `MediaFailure.recording`.
    func close() async throws {
        if open == nil { try begin(isLast: true) }
        try await closeFile()
    }

    /// Warns, once for each reason, that a part of the stream is missing.
    func warnOnce(_ reason: String) {
        if warned.insert(reason).inserted { warn("\(file.path) lacks \(reason)") }
    }

    // MARK: Samples

    private func place(_ item: StreamRecording.Item) -> Placed? {
        let (running, sample, kind) = (item.running, item.sample, item.track)
        guard let codec = codec(of: sample.caps, kind) else {
            warnOnce("the \(kind.rawValue): a .\(file.container) file cannot hold \(sample.caps.mediaType)")
            lacksTrack = true
            return nil
        }
        // Audio is decoded in the order in which it is heard.
        let decoding = running.decoding ?? (kind == .audio ? running.presentation : nil)
        let shift = timeline.shift(
            kind,
            StreamTimeline.Part(opening: item.opening, seek: running.seek, group: running.group),
            time: min(decoding ?? running.presentation, running.presentation),
            duration: sample.plausibleDuration
        )
        return Placed(
            sample: sample,
            kind: kind,
            codec: codec,
            presentation: running.presentation + shift,
            decoding: decoding.map { $0 + shift }
        )
    }

    private func codec(of caps: Caps, _ kind: MediaKind) -> StreamCodec? {
        if let known = codecs[kind], known.caps.pointer == caps.pointer { return known.codec }
        let codec = StreamCodec(caps, in: file.container)
        codecs[kind] = (caps, codec)
        return codec
    }

    private func hold(_ placed: Placed) {
        held.append(placed)
        heldBytes += placed.sample.heldBytes
        guard heldBytes > Self.maximumHeld else { return }
        (held, heldBytes) = ([], 0)
        warnOnce("a part of the stream: it has no keyframe at which a file could begin")
    }

    private func push(_ placed: Placed) {
        guard let origin = open?.origin, var track = open?.tracks[placed.kind] else { return }
        var (presentation, decoding) = (placed.presentation - origin, placed.decoding.map { $0 - origin })
        if let time = decoding {
            // Muxers accept no decreasing times, which overlapping parts of a playlist may have.
            let next = max(time, track.lastDecoding.map { $0 + 1 } ?? 0)
            (decoding, track.lastDecoding, presentation) = (next, next, max(presentation, next))
        }
        let timed = placed.sample.shifted(
            to: UInt64(max(0, presentation)),
            decodeTime: decoding.map { UInt64($0) }
        )
        if !track.source.push(timed) { warnOnce("a part of the stream: the disk is too slow") }
        // After a gap in both tracks, the track that continues first has no lead because of the gap.
        track.lead += min(max(0, placed.end - track.end), Self.wait)
        track.end = max(track.end, placed.end)
        open?.tracks[placed.kind] = track
        let end = max(open?.end ?? placed.end, placed.end)
        open?.end = end
        for (kind, other) in open?.tracks ?? [:] where kind != placed.kind && !other.isOver {
            open?.tracks[kind]?.lead = 0
            // The muxer would keep all later samples in memory until the other track continues.
            guard track.lead > Self.maximumLead else { continue }
            other.source.endOfStream()
            open?.tracks[kind]?.isOver = true
        }
    }

    // MARK: Files

    /// Opens a file if each expected track has a sample, if the samples that are held back last `wait`, or if no more
    /// samples follow (`isLast`).
    private func begin(isLast: Bool = false) throws {
        // Audio before the first keyframe would be played to a black screen.
        let hasVideo = held.contains { $0.kind == .video }
        let first = hasVideo ? held.first { $0.kind == .video && $0.sample.isKeyframe } : held.first
        guard let origin = first?.start, let last = held.last else { return }
        let begun = held.filter { $0.start >= origin }
        let isComplete = Set(begun.map(\.kind)).isSuperset(of: expected)
        guard isLast || isComplete || last.start - origin >= Self.wait else { return }
        (held, heldBytes) = ([], 0)
        try openFile(begun, from: origin)
        for placed in begun { push(placed) }
    }

    private func openFile(_ begun: [Placed], from origin: Int64) throws {
        let firsts = MediaKind.allCases.reversed().compactMap { kind in begun.first { $0.kind == kind } }
        number += 1
        do {
            let path = file.nextPath(from: &number)
            let target = try file.open(path)
            var description = try library.description("recorders/\(file.container)")
            for first in firsts {
                let parser = first.codec.parser(for: file.container, isOrdered: first.decoding != nil)
                let values = ["track": first.kind.rawValue, "muxer": "mux.", "parser": parser]
                description += "\n" + (try library.description("recorders/stream", values))
            }
            let muxed = try MuxedFile(path: path, target: target, description) { [failure] in
                failure.fail($0)
            }
            muxed.pipeline.element(named: "mux").map { Muxer($0.object) }?.keepFirstCaps()
            var tracks: [MediaKind: Track] = [:]
            for first in firsts {
                tracks[first.kind] = muxed.pipeline.element(named: first.kind.rawValue).map {
                    Track(codec: first.codec, source: AppSource($0), end: origin)
                }
            }
            muxed.start()
            open = OpenFile(file: muxed, tracks: tracks, origin: origin, end: origin)
            expected = Set(tracks.keys)
        } catch {
            throw MediaFailure.recording(
                message: "cannot record to \(file.path): \(MediaFailure(error).sentence)",
                hint: "run callrunner doctor"
            )
        }
    }

    private func closeFile() async throws {
        guard let closing = open else { return }
        open = nil
        for track in closing.tracks.values where !track.isOver { track.source.endOfStream() }
        try await closing.file.finish()
        notify(
            SavedRecording(
                path: closing.file.path,
                bytes: RecordingFile.size(of: closing.file.path),
                seconds: Double(closing.end - closing.origin) / 1e9,
                start: Double(closing.origin) / 1e9,
                tracks: MediaKind.allCases.reversed().compactMap { closing.tracks[$0]?.codec.name }
            )
        )
    }
}

/// The first failure of a muxer or a disk, which may be reported on any thread.
private final class FailureSignal: Sendable {
    private let state = Mutex<MediaFailure?>(nil)
    private let notify: @Sendable () -> Void

    init(_ notify: @escaping @Sendable () -> Void) { self.notify = notify }

    /// Throws the failure if there is one.
    func check() throws(MediaFailure) {
        if let failure = state.withLock({ $0 }) { throw failure }
    }

    func fail(_ failure: MediaFailure) {
        state.withLock { $0 = $0 ?? failure }
        notify()
    }
}
