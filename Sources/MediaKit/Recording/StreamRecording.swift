internal import Basics
package import GStreamerKit
internal import Synchronization

/// A recording of a stream that is played, in the codecs in which it arrives.
///
/// Another file begins when a codec changes, or when a track returns after it was missing.
package final class StreamRecording: Sendable {
    struct Item: QueuedSample {
        /// The kind of the track.
        let track: MediaKind
        let running: RunningSample
        /// The number of times that the stream had been opened when the sample was recorded, at least 1.
        let opening: Int

        var sample: MediaSample { running.sample }
    }

    /// The time for which samples are buffered; SIGKILL loses them and another half second.
    private static let gatheringTime = Duration.milliseconds(200)

    private let file: RecordingFile
    private let library: PipelineLibrary
    private let buffer = RecordingBuffer<Item>(maximumBytes: 64_000_000)
    private let openings = Atomic(0)

    /// Creates a recording to `file`, whose container is Matroska or MP4.
    package init(_ file: RecordingFile, library: PipelineLibrary) {
        (self.file, self.library) = (file, library)
    }

    /// The path of the first file.
    package var path: String { file.path }

    /// Records the samples that the decoders of this pipeline receive from now on, as long as `isPlayed` returns true
    /// for the sequence number of the latest seek.
    ///
    /// The sequence number is 0 before the first seek.
    package func follow(_ pipeline: Pipeline, while isPlayed: @escaping @Sendable (_ seek: UInt32) -> Bool) {
        let opening = openings.add(1, ordering: .relaxed).newValue
        let latest = LatestSeek()
        pipeline.onDecoderAdded { decoder in
            decoder.pad("sink")?.onRunningSample(after: latest) { sample in
                if isPlayed(sample.seek) { self.add(sample, opening: opening) }
            }
        }
    }

    /// Queues a sample recorded after the stream was opened for the `opening`th time; callable on any thread, never
    /// blocks.
    func add(_ running: RunningSample, opening: Int) {
        let type = running.sample.caps.mediaType
        guard type.hasPrefix("video/") || type.hasPrefix("audio/") else { return }
        let kind: MediaKind = type.hasPrefix("video/") ? .video : .audio
        buffer.append(Item(track: kind, running: running, opening: opening))
    }

    /// Makes `run()` return after it has written all samples so far.
    package func finish() { buffer.finish() }

    /// Writes the samples until `finish()` is called; must be called only once.
    ///
    /// Cancelling the task closes the recording immediately.
    ///
    /// - Parameters:
    ///   - notify: Called with each file that is closed.
    ///   - warn: Called with a sentence if a part of the stream is missing in a file.
    /// - Returns: Whether a file was saved and all tracks could be recorded.
    /// - Throws: `MediaFailure.recording`.
    @MediaActor
    package func run(
        notify: @escaping @Sendable (SavedRecording) -> Void,
        warn: @escaping @Sendable (String) -> Void
    ) async throws -> Bool {
        defer { file.removeIfEmpty() }
        let writer = StreamWriter(file, library: library, notify: notify, warn: warn) { [buffer] in
            buffer.finish()
        }
        do {
            for await _ in buffer.arrivals {
                try? await Task.sleep(for: Self.gatheringTime)
                try await pass(to: writer)
            }
            try await pass(to: writer)
            try await writer.close()
        } catch {
            buffer.finish()
            // The first failure is the one that helps the user.
            try? await writer.close()
            throw error
        }
        return writer.hasBegun && !writer.lacksTrack
    }

    @MediaActor
    private func pass(to writer: StreamWriter) async throws {
        let (items, hasLost) = buffer.takeAll()
        for item in items { try await writer.write(item) }
        if hasLost { writer.warnOnce("a part of the stream: the disk is too slow") }
    }
}
