internal import Basics
internal import GStreamerKit

/// A recording of all attempts of a call.
///
/// It consists of several files if it is divided into segments or if the container cannot continue after a
/// change of tracks or format.
@MediaActor
final class Recorder {
    private let file: RecordingFile
    private let library: PipelineLibrary
    private let router: RecordingRouter
    private let failures: AsyncStream<MediaFailure>.Continuation
    private let warn: @Sendable (String) -> Void
    private let routerEvents: AsyncStream<RecordingRouter.Event>.Continuation
    /// The functions that request a keyframe of the recorded video, by side.
    private var requestKeyframe: [MediaSide: @Sendable () -> Void] = [:]
    private var attachments: [RecordingTrack: SampleHub.Attachment] = [:]
    private var expected: [MediaSide: Set<MediaKind>] = [:]
    /// Whether the file holds both sides of the call.
    private let holdsBothSides: Bool
    /// The start of the first file in nanoseconds since the `MediaClock` epoch.
    private var beginning: UInt64?
    /// The peer's name, for file names that contain it; nil until the name is known.
    var peer: String?
    /// Called with each recording when its file is closed.
    private let notify: @Sendable (SavedRecording) -> Void
    private var writers: [RecordingWriter] = []
    private var saved: [SavedRecording] = []
    private var opener: Task<Void, Never>?
    private var number = 0

    /// Whether a file was started; false if no samples were received.
    var hasBegun: Bool { number > 0 }

    func isRecording(_ side: MediaSide) -> Bool { attachments.keys.contains { $0.side == side } }

    /// Creates a recorder that writes to `file`.
    ///
    /// - Parameters:
    ///   - file: the file to write to.
    ///   - library: the library that contains the pipeline templates.
    ///   - holdsBothSides: whether the file holds both sides of the call.
    ///   - failures: receives failures of the disk or the muxer.
    ///   - notify: called with each recording when its file is closed.
    ///   - warn: called with a sentence if a part of the call is missing in the recording.
    init(
        file: RecordingFile,
        library: PipelineLibrary,
        holdsBothSides: Bool = false,
        failures: AsyncStream<MediaFailure>.Continuation,
        onSaved notify: @escaping @Sendable (SavedRecording) -> Void = { _ in },
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.holdsBothSides = holdsBothSides
        self.notify = notify
        self.file = file
        self.warn = warn
        self.library = library
        self.failures = failures
        let (events, eventContinuation) = AsyncStream.makeStream(of: RecordingRouter.Event.self)
        routerEvents = eventContinuation
        router = RecordingRouter(
            splitsByFormat: file.container == .mp4,
            segmentLength: file.segmentLength.map { UInt64(max(0, $0 / .nanoseconds(1))) },
            eventContinuation: eventContinuation
        )
        opener = Task { [weak self] in
            for await event in events { await self?.handle(event) }
        }
    }

    /// Sets the kinds of media that were negotiated for a side.
    ///
    /// A file is opened when all of them have arrived, or 3 s after the first one.
    func expect(_ kinds: some Sequence<MediaKind>, of side: MediaSide = .remote) {
        expected[side] = Set(kinds)
        router.expect(expected.flatMap { side, kinds in kinds.map { RecordingTrack(side, $0) } })
    }

    /// Records the stream of `hub` from its next keyframe on, instead of the previous stream of this track.
    ///
    /// `requestKeyframe` is called when the recording needs a keyframe to begin another file.
    func record(
        _ hub: SampleHub,
        kind: MediaKind,
        codec: Codec,
        of side: MediaSide = .remote,
        requestKeyframe: @escaping @Sendable () -> Void = {}
    ) {
        let track = RecordingTrack(side, kind)
        if kind == .video { self.requestKeyframe[side] = requestKeyframe }
        attachments[track]?.detach()
        attachments[track] = hub.attach(fromKeyframe: kind == .video) { [router] in
            router.accept($0, track: track, codec: codec)
        }
    }

    /// Stops recording a side; the file remains open for later streams of this side.
    func pause(_ side: MediaSide) {
        for (track, attachment) in attachments where track.side == side {
            attachment.detach()
            attachments[track] = nil
        }
        requestKeyframe[side] = nil
    }

    /// Closes the files.
    ///
    /// - Returns: the saved recordings; empty if no samples were received or if writing failed, which is
    ///   reported to `failures`.
    func finish() async -> [SavedRecording] {
        for side in MediaSide.allCases { pause(side) }
        if let rest = router.close() { routerEvents.yield(.fileDue(rest)) }
        routerEvents.finish()
        await opener?.value
        await closeWriters(keeping: 0)
        file.removeIfEmpty()
        return saved
    }

    /// Handles an event of the router and then the events that result from opening a file.
    private func handle(_ first: RecordingRouter.Event) async {
        var next: RecordingRouter.Event? = first
        while let event = next {
            switch event {
            case .fileDue(let opening): next = await open(opening)
            case .keyframeWanted:
                for request in requestKeyframe.values { request() }
                next = nil
            case .fileLeft:
                await closeWriters(keeping: 1)
                next = nil
            case .samplesDropped:
                warn(
                    "\(file.path) lacks a part of the call: a stream changed its format too often, "
                        + "or had to wait for a keyframe"
                )
                next = nil
            case .fileBroken(let path):
                if let writer = writers.first(where: { $0.path == path }) { router.leaveBroken(writer) }
                next = nil
            }
        }
    }

    private func open(_ opening: RecordingRouter.Opening) async -> RecordingRouter.Event? {
        number += 1
        var next: RecordingRouter.Event?
        do {
            let path = file.nextPath(from: &number, peer: peer ?? "peer")
            let writer = try RecordingWriter(
                path: path,
                target: try file.open(path),
                container: file.container,
                codecs: opening.codecs,
                isTitled: holdsBothSides,
                origin: opening.origin,
                library: library,
                failures: failures,
                broken: { [routerEvents, warn] reason in
                    warn("\(path) lacks a part of the call: \(reason)")
                    routerEvents.yield(.fileBroken(path: path))
                },
                warn: warn
            )
            writers.append(writer)
            beginning = beginning ?? opening.origin
            next = router.open(writer)
        } catch {
            router.abandon()
            failures.yield(failure(to: error))
        }
        await closeWriters(keeping: router.isLeaving ? 2 : 1)
        return next
    }

    private func failure(to error: any Error) -> MediaFailure {
        .recording(
            message: "cannot record to \(file.path): \(MediaFailure(error).sentence)",
            hint: "run callrunner doctor"
        )
    }

    private func closeWriters(keeping count: Int) async {
        while writers.count > count {
            let writer = writers.removeFirst()
            guard let seconds = try? await writer.finish() else { continue }  // reported to `failures`
            let recording = SavedRecording(
                path: writer.path,
                bytes: RecordingFile.size(of: writer.path),
                seconds: seconds,
                start: Double(writer.origin - min(writer.origin, beginning ?? writer.origin)) / 1e9,
                tracks: writer.codecs.sorted { $0.key < $1.key }.map(\.value.rawValue)
            )
            saved.append(recording)
            notify(recording)
        }
    }
}
