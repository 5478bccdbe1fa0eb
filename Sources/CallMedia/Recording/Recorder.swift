internal import CallCore
internal import GStreamerKit

/// A recording across all attempts of a call: one file, or several where the container cannot go on.
@MediaActor
final class Recorder {
    private let file: RecordingFile
    private let library: PipelineLibrary
    private let intake: RecordingRouter
    private let failures: AsyncStream<MediaFailure>.Continuation
    private let warn: @Sendable (String) -> Void
    private let intakeNews: AsyncStream<RecordingRouter.News>.Continuation
    /// What asks for a keyframe of the pictures that are recorded.
    private var requestKeyframe: [MediaSide: @Sendable () -> Void] = [:]
    private var attachments: [RecordingTrack: SampleHub.Attachment] = [:]
    private var expected: [MediaSide: Set<MediaKind>] = [:]
    /// Whether the file holds both sides of the call.
    private let holdsBothSides: Bool
    /// When the first file began; nanoseconds since the shared epoch.
    private var beginning: UInt64?
    /// The peer's name, for files that are named after it.
    var peer: String?
    /// Hears of each file as soon as it is closed.
    private let tell: @Sendable (SavedRecording) -> Void
    private var takes: [RecordingWriter] = []
    private var saved: [SavedRecording] = []
    private var opener: Task<Void, Never>?
    private var number = 0

    /// Whether a file has been begun; else nothing came.
    var hasBegun: Bool { number > 0 }

    func isRecording(_ side: MediaSide) -> Bool { attachments.keys.contains { $0.side == side } }

    /// Records into `file`; `failures` hears what the disk or the muxer said, `warn` what is missing.
    init(
        file: RecordingFile,
        library: PipelineLibrary,
        holdsBothSides: Bool = false,
        failures: AsyncStream<MediaFailure>.Continuation,
        onSaved tell: @escaping @Sendable (SavedRecording) -> Void = { _ in },
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.holdsBothSides = holdsBothSides
        self.tell = tell
        self.file = file
        self.warn = warn
        self.library = library
        self.failures = failures
        let (wishes, news) = AsyncStream.makeStream(of: RecordingRouter.News.self)
        intakeNews = news
        intake = RecordingRouter(
            mindsFormat: file.container == .mp4,
            segmentLength: file.segmentLength.map { UInt64(max(0, $0 / .nanoseconds(1))) },
            news: news
        )
        opener = Task { [weak self] in
            for await wish in wishes { await self?.fulfil(wish) }
        }
    }

    /// The tracks that the call negotiated; the file waits a little for each.
    func expect(_ kinds: some Sequence<MediaKind>, of side: MediaSide = .remote) {
        expected[side] = Set(kinds)
        intake.expect(expected.flatMap { side, kinds in kinds.map { RecordingTrack(side, $0) } })
    }

    /// Records `hub` from its next keyframe on, in place of the kind's former stream.
    ///
    /// For pictures `requestKeyframe` is called where another file waits for one.
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
        attachments[track] = hub.attach(fromKeyframe: kind == .video) { [intake] in
            intake.accept($0, track: track, codec: codec)
        }
    }

    /// Takes nothing more of a side for now; the file stays open for what is recorded next.
    func pause(_ side: MediaSide) {
        for (track, attachment) in attachments where track.side == side {
            attachment.detach()
            attachments[track] = nil
        }
        requestKeyframe[side] = nil
    }

    /// Closes the files.
    ///
    /// - Returns: what was saved; nothing where nothing came, or where the disk failed, which is told.
    func finish() async -> [SavedRecording] {
        for side in MediaSide.allCases { pause(side) }
        if let rest = intake.close() { intakeNews.yield(.fileDue(rest)) }
        intakeNews.finish()
        await opener?.value
        await closeTakes(keeping: 0)
        file.removeIfEmpty()
        return saved
    }

    /// Does what the intake needs, and what it needs as soon as that is done.
    private func fulfil(_ first: RecordingRouter.News) async {
        var next: RecordingRouter.News? = first
        while let wish = next {
            switch wish {
            case .fileDue(let opening): next = await open(opening)
            case .keyframeWanted:
                for request in requestKeyframe.values { request() }
                next = nil
            case .fileLeft:
                await closeTakes(keeping: 1)
                next = nil
            }
        }
    }

    private func open(_ opening: RecordingRouter.Opening) async -> RecordingRouter.News? {
        number += 1
        var next: RecordingRouter.News?
        do {
            let path = file.nextPath(from: &number, peer: peer ?? "peer")
            try file.prepare(path)
            let take = try RecordingWriter(
                path: path,
                container: file.container,
                codecs: opening.codecs,
                isTitled: holdsBothSides,
                origin: opening.origin,
                library: library,
                failures: failures,
                warn: warn
            )
            takes.append(take)
            beginning = beginning ?? opening.origin
            next = intake.open(take)
        } catch {
            intake.abandon()
            failures.yield(failure(to: error))
        }
        await closeTakes(keeping: intake.isLeaving ? 2 : 1)
        return next
    }

    private func failure(to error: any Error) -> MediaFailure {
        .recording(
            message: "\(file.path) cannot be recorded: \(MediaFailure(error).sentence)",
            hint: "see callrunner doctor"
        )
    }

    private func closeTakes(keeping count: Int) async {
        while takes.count > count {
            let take = takes.removeFirst()
            guard let seconds = try? await take.finish() else { continue }  // told through `failures`
            let recording = SavedRecording(
                path: take.path,
                bytes: RecordingFile.size(of: take.path),
                seconds: seconds,
                start: Double(take.origin - min(take.origin, beginning ?? take.origin)) / 1e9,
                tracks: take.codecs.sorted { $0.key < $1.key }.map(\.value.rawValue)
            )
            saved.append(recording)
            tell(recording)
        }
    }
}
