internal import CallCore
internal import GStreamerKit

/// All recordings of a run: each takes the streams of the sides that it holds.
@MediaActor
final class Recordings {
    private struct Entry {
        let sides: Set<RecordedSide>
        let file: RecordingFile
        let recorder: Recorder
    }

    private let entries: [Entry]
    private let tell: @Sendable (MediaNotice) -> Void

    /// Makes a recorder for each; `failures` hears what the disk or a muxer said, `tell` of files that are closed
    /// and of what is missing.
    init(
        _ configuration: MediaConfiguration,
        failures: AsyncStream<MediaFailure>.Continuation,
        tell: @escaping @Sendable (MediaNotice) -> Void
    ) {
        self.tell = tell
        entries = configuration.recordings.map { sides, file in
            let recorder = Recorder(
                file: file,
                library: configuration.library,
                holdsBothSides: sides.count > 1,
                failures: failures,
                onSaved: { tell(.recordingSaved($0)) },
                warn: { tell(.warning($0)) }
            )
            return Entry(sides: sides, file: file, recorder: recorder)
        }
    }

    /// Whether streams of this side are being recorded.
    func isRecording(_ side: RecordedSide) -> Bool {
        recorders(of: side).contains { $0.isRecording(side) }
    }

    /// The peer of the calls to come, for files that are named after it.
    func setPeer(_ name: String?) {
        for entry in entries { entry.recorder.peer = name ?? entry.recorder.peer }
    }

    /// The streams of a side that a call negotiated.
    func expect(_ kinds: some Sequence<MediaKind>, of side: RecordedSide) {
        let kinds = Set(kinds)
        for recorder in recorders(of: side) { recorder.expect(kinds, of: side) }
    }

    /// Records `hub` wherever this side is recorded.
    func record(
        _ hub: SampleHub,
        kind: MediaKind,
        codec: Codec,
        of side: RecordedSide,
        requestKeyframe: @escaping @Sendable () -> Void
    ) {
        for recorder in recorders(of: side) {
            recorder.record(hub, kind: kind, codec: codec, of: side, requestKeyframe: requestKeyframe)
        }
    }

    /// Takes nothing more of a side for now; the files stay open.
    func pause(_ side: RecordedSide) { for recorder in recorders(of: side) { recorder.pause(side) } }

    /// Closes every file, and tells where nothing came.
    func finish() async {
        for entry in entries {
            _ = await entry.recorder.finish()
            guard !entry.recorder.hasBegun else { continue }
            entry.file.removeIfEmpty()
            tell(.recordingEmpty(path: entry.file.path))
        }
    }

    private func recorders(of side: RecordedSide) -> [Recorder] {
        entries.filter { $0.sides.contains(side) }.map(\.recorder)
    }
}
