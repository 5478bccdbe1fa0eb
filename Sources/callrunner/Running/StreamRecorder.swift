internal import Basics
internal import MediaKit

/// A recorder for a played stream, which reports the saved files and the warnings.
struct StreamRecorder {
    let recording: StreamRecording
    /// Whether the recording has failed.
    let failure = StateStore(false)
    private let reporter: Reporter

    init(_ recording: StreamRecording, _ console: Console, _ events: EventWriter) {
        (self.recording, reporter) = (recording, Reporter(console: console, events: events))
    }

    /// Records until `recording` is finished or fails.
    ///
    /// - Returns: Whether a file was saved.
    /// - Throws: `Failure` with exit code 5.
    func run() async throws(Failure) -> Bool {
        let (notices, notice) = AsyncStream.makeStream(of: MediaNotice.self)
        async let reported = reporter.report(notices, closing: ClosingLimit(), after: StateStore(false))
        let result: Result<Bool, Failure>
        do {
            let hasSaved = try await recording.run(
                notify: { notice.yield(.recordingSaved($0)) },
                warn: { notice.yield(.warning($0)) }
            )
            if !hasSaved { notice.yield(.recordingEmpty(path: recording.path)) }
            result = .success(hasSaved)
        } catch {
            result = .failure(Failure(MediaFailure(error)))
            failure.update { $0 = true }
        }
        notice.finish()
        _ = await reported
        return try result.get()
    }
}
