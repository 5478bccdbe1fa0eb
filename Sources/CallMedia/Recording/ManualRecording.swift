internal import CallCore
internal import GStreamerKit

/// A recording that somebody began in a running call; where it fails the call goes on.
@MediaActor
final class ManualRecording {
    let file: RecordingFile
    let sides: Set<MediaSide>
    let recorder: Recorder

    private let tell: @Sendable (MediaNotice) -> Void
    private let failures: AsyncStream<MediaFailure>.Continuation
    private var watcher: Task<Void, Never>?
    private var hasFailed = false
    private var ending: Task<Void, Never>?

    /// - Parameters:
    ///   - file: reserved.
    ///   - sides: whose streams it takes.
    ///   - library: has the descriptions.
    ///   - tell: hears of files that are closed, and of the failure.
    ///   - whenFailed: called once, where the disk or the muxer takes no more.
    init(
        _ file: RecordingFile,
        sides: Set<MediaSide>,
        library: PipelineLibrary,
        tell: @escaping @Sendable (MediaNotice) -> Void,
        whenFailed: @escaping @MediaActor @Sendable (ManualRecording) -> Void
    ) {
        (self.file, self.sides, self.tell) = (file, sides, tell)
        let (failures, news) = AsyncStream.makeStream(of: MediaFailure.self)
        self.failures = news
        recorder = Recorder(
            file: file,
            library: library,
            holdsBothSides: sides.count > 1,
            failures: news,
            onSaved: { tell(.recordingSaved($0)) },
            warn: { tell(.warning($0)) }
        )
        watcher = Task { [weak self] in
            for await failure in failures {
                guard let self, !hasFailed else { continue }
                hasFailed = true
                tell(.recordingFailed(path: file.path, message: failure.sentence))
                whenFailed(self)
            }
        }
    }

    /// Closes the file.
    ///
    /// Further calls wait for the first one. Goes on where the calling task is cancelled.
    func finish() async {
        let task = ending ?? Task { await close() }
        ending = task
        await task.value
    }

    private func close() async {
        _ = await recorder.finish()
        failures.finish()
        await watcher?.value
        file.removeIfEmpty()
        if !recorder.hasBegun, !hasFailed { tell(.recordingEmpty(path: file.path)) }
    }
}
