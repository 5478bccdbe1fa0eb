internal import CallCore
internal import GStreamerKit

// Recordings started and stopped by the user during a call.

extension Recordings {
    /// Starts a recording of the current and later streams, from their next keyframes on.
    ///
    /// - Throws: `MediaRefusal` if such a recording is already running or the file cannot hold the current
    ///   codecs.
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

    /// Checks whether a recording may start now.
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

    /// Stops the recording started by the user and waits until its file is complete.
    ///
    /// - Returns: false if there was none.
    func endByHand() async -> Bool {
        guard let recording = hand else { return false }
        drop(recording)
        await recording.finish()
        return true
    }

    /// Stops the recording started by the user without waiting for its file, which `finish` waits for.
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
