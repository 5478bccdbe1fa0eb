internal import CallCore
internal import GStreamerKit

/// All recordings of a run: each takes the streams of the sides that it holds.
@MediaActor
final class Recordings {
    private struct Entry {
        let sides: Set<MediaSide>
        let file: RecordingFile
        let recorder: Recorder
    }

    /// A stream that is recorded, or may be from now on.
    struct Stream {
        let hub: SampleHub
        let codec: Codec
        let requestKeyframe: @Sendable () -> Void
    }

    let library: PipelineLibrary
    let tell: @Sendable (MediaNotice) -> Void
    /// What flows now.
    private(set) var streams: [RecordingTrack: Stream] = [:]
    /// What the call negotiated.
    private(set) var expected: [MediaSide: Set<MediaKind>] = [:]
    /// What was begun in a running call.
    var hand: ManualRecording? {
        didSet { onHandChange(hand) }
    }
    /// Of recordings that were begun so, are over, and are not whole yet.
    var closings: [Int: Task<Void, Never>] = [:]
    var closingNumber = 0
    private let entries: [Entry]
    private let onHandChange: (ManualRecording?) -> Void

    /// Makes a recorder for each; `failures` hears what the disk or a muxer said, `tell` of files that are closed
    /// and of what is missing, `onHandChange` of what is recorded by hand.
    init(
        _ configuration: MediaConfiguration,
        failures: AsyncStream<MediaFailure>.Continuation,
        tell: @escaping @Sendable (MediaNotice) -> Void,
        onHandChange: @escaping (ManualRecording?) -> Void
    ) {
        (self.tell, self.onHandChange, library) = (tell, onHandChange, configuration.library)
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
    func isRecording(_ side: MediaSide) -> Bool {
        recorders(of: side).contains { $0.isRecording(side) }
    }

    /// The peer of the calls to come, for files that are named after it.
    func setPeer(_ name: String?) {
        guard let name else { return }
        for entry in entries { entry.recorder.peer = name }
        hand?.recorder.peer = name
    }

    /// The streams of a side that a call negotiated.
    func expect(_ kinds: some Sequence<MediaKind>, of side: MediaSide) {
        let kinds = Set(kinds)
        expected[side] = kinds
        for recorder in recorders(of: side) { recorder.expect(kinds, of: side) }
    }

    /// Records `hub` wherever this side is recorded.
    func record(
        _ hub: SampleHub,
        kind: MediaKind,
        codec: Codec,
        of side: MediaSide,
        requestKeyframe: @escaping @Sendable () -> Void
    ) {
        let stream = Stream(hub: hub, codec: codec, requestKeyframe: requestKeyframe)
        streams[RecordingTrack(side, kind)] = stream
        for recorder in recorders(of: side) {
            recorder.record(hub, kind: kind, codec: codec, of: side, requestKeyframe: requestKeyframe)
        }
    }

    /// Takes nothing more of a side for now; the files stay open.
    func pause(_ side: MediaSide) {
        expected[side] = nil
        streams = streams.filter { $0.key.side != side }
        for recorder in recorders(of: side) { recorder.pause(side) }
    }

    /// Closes every file, and tells where nothing came.
    func finish() async {
        _ = await endByHand()
        for closing in closings.values { await closing.value }
        for entry in entries {
            _ = await entry.recorder.finish()
            guard !entry.recorder.hasBegun else { continue }
            entry.file.removeIfEmpty()
            tell(.recordingEmpty(path: entry.file.path))
        }
    }

    private func recorders(of side: MediaSide) -> [Recorder] {
        let begun = hand.map { $0.sides.contains(side) ? [$0.recorder] : [] } ?? []
        return entries.filter { $0.sides.contains(side) }.map(\.recorder) + begun
    }
}
