internal import CallCore
internal import GStreamerKit

/// A recording across all attempts of a call: one file, or several where the container cannot go on.
@MediaActor
final class Recorder {
    private let file: RecordingFile
    private let library: PipelineLibrary
    private let intake: RecordingIntake
    private let failures: AsyncStream<MediaFailure>.Continuation
    private let warn: @Sendable (String) -> Void
    private let intakeNews: AsyncStream<RecordingIntake.News>.Continuation
    /// What asks for a keyframe of the pictures that are recorded.
    private var requestKeyframe: @Sendable () -> Void = {}
    private var attachments: [MediaKind: SampleHub.Attachment] = [:]
    private var takes: [RecordingTake] = []
    private var saved: [SavedRecording] = []
    private var opener: Task<Void, Never>?
    private var number = 0

    /// Whether a file has been begun; else nothing came.
    var hasBegun: Bool { number > 0 }

    var isRecording: Bool { !attachments.isEmpty }

    /// Records into `file`; `failures` hears what the disk or the muxer said, `warn` what is missing.
    init(
        file: RecordingFile,
        library: PipelineLibrary,
        failures: AsyncStream<MediaFailure>.Continuation,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.file = file
        self.warn = warn
        self.library = library
        self.failures = failures
        let (wishes, news) = AsyncStream.makeStream(of: RecordingIntake.News.self)
        intakeNews = news
        intake = RecordingIntake(mindsSize: file.container == .mp4, news: news)
        opener = Task { [weak self] in
            for await wish in wishes { await self?.fulfil(wish) }
        }
    }

    /// The tracks that the call negotiated; the file waits a little for each.
    func expect(_ kinds: some Sequence<MediaKind>) { intake.expect(kinds) }

    /// Records `hub` from its next keyframe on, in place of the kind's former stream.
    ///
    /// For pictures `requestKeyframe` is called where another file waits for one.
    func record(
        _ hub: SampleHub,
        kind: MediaKind,
        codec: Codec,
        requestKeyframe: @escaping @Sendable () -> Void = {}
    ) {
        if kind == .video { self.requestKeyframe = requestKeyframe }
        attachments[kind]?.detach()
        attachments[kind] = hub.attach(fromKeyframe: kind == .video) { [intake] in
            intake.accept($0, kind: kind, codec: codec)
        }
    }

    /// Takes nothing more for now; the file stays open for what is recorded next.
    func pause() {
        for attachment in attachments.values { attachment.detach() }
        attachments = [:]
        requestKeyframe = {}
    }

    /// Closes the files.
    ///
    /// - Returns: what was saved; nothing where nothing came, or where the disk failed, which is told.
    func finish() async -> [SavedRecording] {
        pause()
        if let rest = intake.close() { intakeNews.yield(.fileDue(rest)) }
        intakeNews.finish()
        await opener?.value
        await closeTakes(keeping: 0)
        file.removeIfEmpty()
        return saved
    }

    /// Does what the intake needs, and what it needs as soon as that is done.
    private func fulfil(_ first: RecordingIntake.News) async {
        var next: RecordingIntake.News? = first
        while let wish = next {
            switch wish {
            case .fileDue(let opening): next = await open(opening)
            case .keyframeWanted:
                requestKeyframe()
                next = nil
            }
        }
    }

    private func open(_ opening: RecordingIntake.Opening) async -> RecordingIntake.News? {
        number += 1
        var next: RecordingIntake.News?
        do {
            let take = try RecordingTake(
                path: file.nextPath(from: &number),
                container: file.container,
                codecs: opening.codecs,
                origin: opening.origin,
                library: library,
                failures: failures,
                warn: warn
            )
            takes.append(take)
            next = intake.open(take)
        } catch {
            intake.abandon()
            failures.yield(failure(to: error))
        }
        await closeTakes(keeping: 1)
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
            saved.append(
                SavedRecording(
                    path: take.path,
                    bytes: RecordingFile.size(of: take.path),
                    seconds: seconds,
                    tracks: [MediaKind.video, .audio].compactMap { take.codecs[$0]?.rawValue }
                )
            )
        }
    }
}
