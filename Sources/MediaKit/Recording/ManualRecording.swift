package import Basics
package import GStreamerKit

/// A recording started by the user during a call; its failure does not end the call.
@MediaActor
package final class ManualRecording {
    package let file: RecordingFile
    package let sides: Set<MediaSide>
    let recorder: Recorder

    private let notify: @Sendable (MediaNotice) -> Void
    private let failures: AsyncStream<MediaFailure>.Continuation
    private var watcher: Task<Void, Never>?
    private var hasFailed = false
    private var ending: Task<Void, Never>?

    /// Creates a recording of one or both sides of a call.
    ///
    /// - Parameters:
    ///   - file: the reserved file.
    ///   - sides: the sides to record.
    ///   - library: the library that contains the pipeline templates.
    ///   - notify: called with notices of closed files, of the failure and of an empty recording, and with
    ///     warnings.
    ///   - whenFailed: called once if the disk or the muxer fails.
    init(
        _ file: RecordingFile,
        sides: Set<MediaSide>,
        library: PipelineLibrary,
        notify: @escaping @Sendable (MediaNotice) -> Void,
        whenFailed: @escaping @MediaActor @Sendable (ManualRecording) -> Void
    ) {
        (self.file, self.sides, self.notify) = (file, sides, notify)
        let (failures, eventContinuation) = AsyncStream.makeStream(of: MediaFailure.self)
        self.failures = eventContinuation
        recorder = Recorder(
            file: file,
            library: library,
            holdsBothSides: sides.count > 1,
            failures: eventContinuation,
            onSaved: { notify(.recordingSaved($0)) },
            warn: { notify(.warning($0)) }
        )
        watcher = Task { [weak self] in
            for await failure in failures {
                guard let self, !hasFailed else { continue }
                hasFailed = true
                notify(.recordingFailed(path: file.path, message: failure.sentence))
                whenFailed(self)
            }
        }
    }

    /// Closes the file.
    ///
    /// Further calls wait for the first call. Cancellation of the calling task does not interrupt closing.
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
        if !recorder.hasBegun, !hasFailed { notify(.recordingEmpty(path: file.path)) }
    }
}
