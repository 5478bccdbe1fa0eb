package import Basics
package import GStreamerKit

/// All recordings of a media service; each receives the streams of the sides that it records.
@MediaActor
package final class Recordings {
    private struct Entry {
        let sides: Set<MediaSide>
        let file: RecordingFile
        let recorder: Recorder
    }

    /// A stream that is recorded or can be recorded later.
    package struct Stream: Sendable {
        package let hub: SampleHub
        package let codec: Codec
        package let requestKeyframe: @Sendable () -> Void
    }

    let library: PipelineLibrary
    let notify: @Sendable (MediaNotice) -> Void
    /// The streams of the current attempt, by track.
    private(set) var streams: [RecordingTrack: Stream] = [:]
    /// The kinds of media that were negotiated for each side.
    private(set) var expected: [MediaSide: Set<MediaKind>] = [:]
    /// The recording started by the user during a call; nil if there is none.
    var manual: ManualRecording? {
        didSet { onManualChange(manual) }
    }
    /// The tasks that close recordings stopped by the user.
    var closings: [Int: Task<Void, Never>] = [:]
    var closingNumber = 0
    private let entries: [Entry]
    /// The receiver of the streams besides the recordings, if any.
    private let output: (any CallOutput)?
    private let onManualChange: (ManualRecording?) -> Void

    /// Creates a recorder for each configured recording.
    ///
    /// - Parameters:
    ///   - files: the files to record, with the sides that each contains.
    ///   - output: receives the streams, too.
    ///   - library: contains the pipeline templates.
    ///   - failures: receives failures of the disk or a muxer.
    ///   - notify: called with notices of closed files and warnings about missing parts.
    ///   - onManualChange: called when the user starts a recording, and when that recording ends.
    package init(
        _ files: [(sides: Set<MediaSide>, file: RecordingFile)],
        output: (any CallOutput)? = nil,
        library: PipelineLibrary,
        failures: AsyncStream<MediaFailure>.Continuation,
        notify: @escaping @Sendable (MediaNotice) -> Void,
        onManualChange: @escaping (ManualRecording?) -> Void
    ) {
        (self.notify, self.onManualChange, self.library) = (notify, onManualChange, library)
        self.output = output
        entries = files.map { sides, file in
            let recorder = Recorder(
                file: file,
                library: library,
                holdsBothSides: sides.count > 1,
                failures: failures,
                onSaved: { notify(.recordingSaved($0)) },
                warn: { notify(.warning($0)) }
            )
            return Entry(sides: sides, file: file, recorder: recorder)
        }
    }

    /// Returns whether a stream of this side is being recorded.
    func isRecording(_ side: MediaSide) -> Bool {
        recorders(of: side).contains { $0.isRecording(side) }
    }

    /// Sets the peer's name for the file names of later recordings; nil leaves it unchanged.
    package func setPeer(_ name: String?) {
        guard let name else { return }
        for entry in entries { entry.recorder.peer = name }
        manual?.recorder.peer = name
    }

    /// Sets the kinds of media that were negotiated for a side.
    package func expect(_ kinds: some Sequence<MediaKind>, of side: MediaSide) {
        let kinds = Set(kinds)
        expected[side] = kinds
        for recorder in recorders(of: side) { recorder.expect(kinds, of: side) }
    }

    /// Records the stream of `hub` in all current and later recordings of this side.
    package func record(
        _ hub: SampleHub,
        kind: MediaKind,
        codec: Codec,
        of side: MediaSide,
        requestKeyframe: @escaping @Sendable () -> Void
    ) {
        let stream = Stream(hub: hub, codec: codec, requestKeyframe: requestKeyframe)
        streams[RecordingTrack(side, kind)] = stream
        output?.take(stream, kind: kind, of: side)
        for recorder in recorders(of: side) {
            recorder.record(hub, kind: kind, codec: codec, of: side, requestKeyframe: requestKeyframe)
        }
    }

    /// Stops recording a side; the files remain open for later streams.
    package func pause(_ side: MediaSide) {
        expected[side] = nil
        streams = streams.filter { $0.key.side != side }
        output?.release(side)
        for recorder in recorders(of: side) { recorder.pause(side) }
    }

    /// Closes all files; removes and reports the empty ones.
    package func finish() async {
        _ = await endManually()
        for closing in closings.values { await closing.value }
        for entry in entries {
            _ = await entry.recorder.finish()
            guard !entry.recorder.hasBegun else { continue }
            entry.file.removeIfEmpty()
            notify(.recordingEmpty(path: entry.file.path))
        }
        // A server may be slow to read the rest of the stream.
        await output?.finish()
    }

    private func recorders(of side: MediaSide) -> [Recorder] {
        let begun = manual.map { $0.sides.contains(side) ? [$0.recorder] : [] } ?? []
        return entries.filter { $0.sides.contains(side) }.map(\.recorder) + begun
    }
}

// MARK: - Manual recording

// Recordings started and stopped by the user during a call.

extension Recordings {
    /// Starts a recording of the current and later streams, from their next keyframes on.
    ///
    /// - Throws: `MediaRefusal` if the container of the file cannot hold the codecs of the current streams.
    package func begin(_ file: RecordingFile, sides: Set<MediaSide>, peer: String?) throws(MediaRefusal) {
        try check(file.container, holds: sides, in: file.path)
        let recording = ManualRecording(file, sides: sides, library: library, notify: notify) { [weak self] in
            self?.drop($0)
        }
        recording.recorder.peer = peer
        manual = recording
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
        notify(.recordingStarted(path: file.path, sides: sides))
    }

    /// Checks that no recording started by the user is running.
    ///
    /// - Throws: `MediaRefusal` if one is running.
    package func checkIsFree() throws(MediaRefusal) {
        guard let manual else { return }
        throw MediaRefusal(.alreadyRecording, "the call is being recorded already, to \(manual.file.path)")
    }

    private func check(
        _ container: Container,
        holds sides: Set<MediaSide>,
        in path: String
    ) throws(MediaRefusal) {
        let codecs = streams.filter { sides.contains($0.key.side) }.map(\.value.codec)
        guard let unsupported = codecs.first(where: { !container.codecs.contains($0) }) else { return }
        throw MediaRefusal(
            .badFormat,
            "\(path) cannot contain \(unsupported.rawValue), which this call uses; record to .mkv"
        )
    }

    /// Stops the recording started by the user and waits until its file is complete.
    ///
    /// - Returns: false if there is no such recording.
    package func endManually() async -> Bool {
        guard let recording = manual else { return false }
        drop(recording)
        await recording.finish()
        return true
    }

    /// Stops the recording started by the user without waiting until its file is complete; `finish` waits.
    package func endManuallySoon() {
        if let manual { drop(manual) }
    }

    private func drop(_ recording: ManualRecording) {
        guard manual === recording else { return }
        manual = nil
        closingNumber += 1
        closings[closingNumber] = Task { [weak self, number = closingNumber] in
            await recording.finish()
            self?.closings[number] = nil
        }
    }
}
