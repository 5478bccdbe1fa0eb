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
    private let openingNews: AsyncStream<RecordingIntake.Opening>.Continuation
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
        let (openings, news) = AsyncStream.makeStream(of: RecordingIntake.Opening.self)
        openingNews = news
        intake = RecordingIntake(mindsSize: file.container == .mp4, openings: news)
        opener = Task { [weak self] in
            for await opening in openings { await self?.open(opening) }
        }
    }

    /// The tracks that the call negotiated; the file waits a little for each.
    func expect(_ kinds: some Sequence<MediaKind>) { intake.expect(kinds) }

    /// Records `hub` from its next keyframe on, in place of the kind's former stream.
    func record(_ hub: SampleHub, kind: MediaKind, codec: Codec) {
        attachments[kind]?.detach()
        attachments[kind] = hub.attach(fromKeyframe: kind == .video) { [intake] in
            intake.accept($0, kind: kind, codec: codec)
        }
    }

    /// Takes nothing more for now; the file stays open for what is recorded next.
    func pause() {
        for attachment in attachments.values { attachment.detach() }
        attachments = [:]
    }

    /// Closes the files.
    ///
    /// - Returns: what was saved; nothing where nothing came, or where the disk failed, which is told.
    func finish() async -> [SavedRecording] {
        pause()
        if let rest = intake.close() { openingNews.yield(rest) }
        openingNews.finish()
        await opener?.value
        await closeTakes(keeping: 0)
        file.removeIfEmpty()
        return saved
    }

    /// Opens the file that is due, and those that are due as soon as it is open.
    private func open(_ first: RecordingIntake.Opening) async {
        var due: RecordingIntake.Opening? = first
        while let opening = due {
            number += 1
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
                due = intake.open(take)
            } catch {
                intake.abandon()
                due = nil
                failures.yield(failure(to: error))
            }
            await closeTakes(keeping: 1)
        }
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
