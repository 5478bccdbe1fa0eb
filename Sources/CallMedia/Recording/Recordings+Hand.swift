internal import CallCore
internal import GStreamerKit

// What somebody begins and ends in a running call.

extension Recordings {
    /// Records what flows, and what will, from the next keyframes on.
    ///
    /// - Throws: `MediaRefusal` where a recording of this kind runs already, or the file cannot hold what flows.
    func begin(_ file: RecordingFile, sides: Set<MediaSide>, peer: String?) throws(MediaRefusal) {
        try check(file.container, holds: sides, in: file.path)
        let recording = ManualRecording(file, sides: sides, library: library, tell: tell) { [weak self] in
            self?.drop($0)
        }
        recording.recorder.peer = peer
        hand = recording
        for side in sides { recording.recorder.expect(expected[side] ?? [], of: side) }
        for (track, stream) in streams where sides.contains(track.side) {
            recording.recorder.record(
                stream.hub,
                kind: track.kind,
                codec: stream.codec,
                of: track.side,
                requestKeyframe: stream.requestKeyframe
            )
            if track.kind == .video { stream.requestKeyframe() }
        }
        tell(.recordingStarted(path: file.path, sides: sides))
    }

    /// Whether a recording may begin now.
    ///
    /// - Throws: `MediaRefusal`.
    func checkIsFree() throws(MediaRefusal) {
        guard let hand else { return }
        throw MediaRefusal(.alreadyRecording, "the call is being recorded already, to \(hand.file.path)")
    }

    private func check(
        _ container: Container,
        holds sides: Set<MediaSide>,
        in path: String
    ) throws(MediaRefusal) {
        let codecs = streams.filter { sides.contains($0.key.side) }.map(\.value.codec)
        guard let stranger = codecs.first(where: { !container.codecs.contains($0) }) else { return }
        throw MediaRefusal(
            .badFormat,
            "\(path) cannot hold \(stranger.rawValue), which this call carries; record to .mkv"
        )
    }

    /// Ends what was begun by hand, and waits until the file is whole.
    ///
    /// - Returns: false where there was nothing to end.
    func endByHand() async -> Bool {
        guard let recording = hand else { return false }
        drop(recording)
        await recording.finish()
        return true
    }

    /// Ends what was begun by hand, and leaves the file to `finish`.
    func endByHandSoon() {
        if let hand { drop(hand) }
    }

    private func drop(_ recording: ManualRecording) {
        guard hand === recording else { return }
        hand = nil
        closingNumber += 1
        closings[closingNumber] = Task { [weak self, number = closingNumber] in
            await recording.finish()
            self?.closings[number] = nil
        }
    }
}
