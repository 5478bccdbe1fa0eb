internal import CallCore
internal import GStreamerKit

/// A recording across all attempts of a call: one file, or several where the container cannot go on.
@MediaActor
final class Recorder {
    /// What the disk or the muxer said; single consumer.
    nonisolated let failures: AsyncStream<MediaFailure>

    private let file: RecordingFile
    private let library: PipelineLibrary
    private let intake: RecordingIntake
    private let failureNews: AsyncStream<MediaFailure>.Continuation
    private let openingNews: AsyncStream<RecordingIntake.Opening>.Continuation
    private var attachments: [MediaKind: SampleHub.Attachment] = [:]
    private var takes: [RecordingTake] = []
    private var saved: [SavedRecording] = []
    private var opener: Task<Void, Never>?

    init(file: RecordingFile, library: PipelineLibrary) {
        self.file = file
        self.library = library
        (failures, failureNews) = AsyncStream.makeStream(of: MediaFailure.self)
        let (openings, news) = AsyncStream.makeStream(of: RecordingIntake.Opening.self)
        openingNews = news
        intake = RecordingIntake(rotatesOnSize: file.container == .mp4, openings: news)
        opener = Task { [weak self] in
            for await opening in openings { await self?.open(opening) }
        }
    }

    /// The tracks that the call negotiated; the file waits a little for each.
    func expect(_ codecs: [MediaKind: Codec]) { intake.expect(codecs) }

    /// Records `hub` from its next keyframe on, in place of the kind's former stream.
    func record(_ hub: SampleHub, kind: MediaKind, codec: Codec) {
        attachments[kind]?.detach()
        attachments[kind] = hub.attach(fromKeyframe: kind == .video) { [intake] in
            intake.accept($0, kind: kind, codec: codec)
        }
    }

    /// Closes the files.
    ///
    /// - Returns: what was saved; nothing where nothing came.
    func finish() async -> [SavedRecording] {
        for attachment in attachments.values { attachment.detach() }
        let rest = intake.close()
        openingNews.finish()
        await opener?.value
        if let rest { await open(rest) }
        await closeTakes(keeping: 0)
        file.removeIfEmpty()
        failureNews.finish()
        return saved
    }

    private func open(_ opening: RecordingIntake.Opening) async {
        do {
            let take = try RecordingTake(
                path: file.path(number: saved.count + takes.count + 1),
                container: file.container,
                codecs: opening.codecs,
                origin: opening.origin,
                library: library,
                failures: failureNews
            )
            takes.append(take)
            intake.open(take)
            await closeTakes(keeping: 1)
        } catch {
            failureNews.yield(
                .recording(
                    message: "\(file.path) cannot be recorded: \(error)",
                    hint: "see callrunner doctor"
                )
            )
        }
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
