internal import Basics
internal import GStreamerKit

/// A pipeline that multiplexes encoded samples into a file, without encoding them again.
@MediaActor
final class MuxedFile {
    let path: String
    let pipeline: Pipeline
    /// The open file, which is written even if another file takes its path; nil if GStreamer opens the file at `path`.
    private let target: WritableFile?
    /// The task that reads the bus until the file is closed or has failed, and returns the failure.
    private let ending: Task<MediaFailure?, Never>
    private static let closingLimit = Duration.seconds(10)

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - target: The open file; nil to open the file at `path`.
    ///   - description: The pipeline, whose sink is named `file`.
    ///   - failed: Called with a failure while writing, such as a full disk.
    ///   - broken: Called, instead of `failed`, with the reason if a sample cannot be written; the file contains the
    ///     samples before it.
    /// - Throws: `GStreamerError`.
    init(
        path: String,
        target: WritableFile? = nil,
        _ description: String,
        failed: @escaping @Sendable (MediaFailure) -> Void,
        broken: (@Sendable (_ reason: String) -> Void)? = nil
    ) throws {
        (self.path, self.target) = (path, target)
        let pipeline = try Pipeline(parsing: description, name: "recorder")
        self.pipeline = pipeline
        pipeline.element(named: "file")?.set("location", target?.writingPath ?? path)
        let messages = pipeline.messages
        ending = Task {
            for await message in messages {
                switch message {
                case .endOfStream: return nil
                case .error(_, let factory, let text, let debug):
                    if let broken, Self.isOfStream(factory) {
                        broken(text)
                        return nil
                    }
                    let failure = RecordingWriter.failure(text, debug: debug, path: path)
                    failed(failure)
                    return failure
                default: break
                }
            }
            return RecordingWriter.failure("closing the file took too long", debug: "", path: path)
        }
    }

    /// Returns whether an error of this element concerns the samples that are written, and not the disk.
    ///
    /// An appsrc reports such an error if a parser or muxer rejects its format.
    private nonisolated static func isOfStream(_ factory: String) -> Bool {
        ["parse", "mux", "appsrc"].contains(where: factory.hasSuffix)
    }

    /// Starts writing; if the file cannot be opened, the bus reports the reason.
    func start() { try? pipeline.setState(.playing) }

    /// Waits for the end of all sources and closes the file, even if the calling task is cancelled; otherwise the file
    /// would have no index.
    ///
    /// - Throws: `MediaFailure.recording` if the muxer or the disk failed.
    func finish() async throws {
        let limit = Task { [ending] in
            guard (try? await Task.sleep(for: Self.closingLimit)) != nil else { return }
            ending.cancel()
        }
        let failure = await ending.value
        limit.cancel()
        await limit.value
        try? pipeline.setState(.null)
        if let failure { throw failure }
    }
}
