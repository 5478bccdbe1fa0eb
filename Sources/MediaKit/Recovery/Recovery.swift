package import Basics
package import GStreamerKit
internal import Glibc

/// The recovery of a recording that was cut short: its streams are written to a new file with an index.
///
/// The new file also contains the duration. Nothing is decoded, and the input file is not changed.
@MediaActor
package struct Recovery {
    private let input: String
    private let container: Container
    private let library: PipelineLibrary
    private let edits: EditLists

    /// The time without progress after which the recovery fails.
    private static let timeout = Duration.seconds(30)

    /// Inspects the file at `path`.
    ///
    /// - Throws: `MediaFailure.source` for an unreadable file, an unknown format, or a file that `ContainerCheck`
    ///   refuses.
    package init(of path: String, library: PipelineLibrary) throws(MediaFailure) {
        (input, self.library) = (path, library)
        container = try Self.container(of: path)
        try ContainerCheck.refuse(path)
        edits = container == .mp4 ? Self.editLists(of: path) : EditLists(index: [], at: 0)
    }

    /// Returns the container format according to the content of the file, regardless of its extension.
    ///
    /// - Throws: `MediaFailure.source` for an unreadable or empty file or an unknown format.
    package nonisolated static func container(of path: String) throws(MediaFailure) -> Container {
        let head: [UInt8]
        do throws(ReadingError) { head = try beginning(of: path) } catch {
            throw .source(
                message: "\(path) cannot be read: \(String(cString: strerror(error.code)))",
                hint: "check the spelling and the permissions"
            )
        }
        guard !head.isEmpty else {
            throw .source(
                message: "\(path) is empty",
                hint: "nothing was written before the recording stopped"
            )
        }
        if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            return head.firstRange(of: Array("webm".utf8)) == nil ? .mkv : .webm
        }
        guard head.dropFirst(4).starts(with: Array("ftyp".utf8)) else {
            throw .source(
                message: "\(path) is neither Matroska, WebM nor MP4",
                hint: "only recordings by callrunner can be recovered"
            )
        }
        return .mp4
    }

    private nonisolated static func editLists(of path: String) -> EditLists {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        return EditLists(ofFile: descriptor)
    }

    private struct ReadingError: Error {
        /// The value of `errno`.
        var code: Int32
    }

    private nonisolated static func beginning(of path: String) throws(ReadingError) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe would block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ReadingError(code: errno) }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &head, head.count)
        guard count >= 0 else { throw ReadingError(code: errno) }
        return Array(head.prefix(count))
    }

    /// Writes the recovered streams to `output` as a complete file.
    ///
    /// - Throws: `MediaFailure.source` if the input cannot be read or yields no samples, `.recording` if the
    ///   output cannot be written, `.pipeline` or `GStreamerError` if the pipeline cannot be built, or
    ///   `CancellationError`.
    package func write(to output: PartialFile) async throws -> SavedRecording {
        let demuxer = container == .mp4 ? "qtdemux" : "matroskademux"
        let description =
            "filesrc name=input ! \(demuxer) name=streams\n"
            + (try library.description("recorders/\(container)"))
        let pipeline = try Pipeline(parsing: description, name: "recovery")
        pipeline.element(named: "input")?.set("location", input)
        pipeline.element(named: "input")?.pad("src")?.replace(edits.places, with: Array("free".utf8))
        pipeline.element(named: "file")?.set("location", output.writingPath)
        guard let muxer = pipeline.element(named: "mux") else {
            throw MediaFailure.pipeline(element: "recorders/\(container)", message: "it lacks “mux”")
        }
        let streams = RecoveredStreams(
            pipeline: pipeline,
            muxer: muxer,
            container: container,
            delays: edits.delays
        )
        pipeline.element(named: "streams")?.onPadAdded { [streams] in streams.add($0) }
        pipeline.element(named: "streams")?.onNoMorePads { streams.areKnown() }
        defer { try? pipeline.setState(.null) }
        do { try pipeline.setState(.playing) } catch {}  // the bus reports the error
        try await finish(pipeline, streams, output.path)
        return SavedRecording(
            path: output.path,
            bytes: output.size,
            seconds: Double(streams.end) / 1e9,
            tracks: streams.codecs.map(\.rawValue)
        )
    }

    private func finish(_ pipeline: Pipeline, _ streams: RecoveredStreams, _ output: String) async throws {
        let messages = pipeline.messages
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [input] in
                for await message in messages {
                    switch message {
                    case .endOfStream: return
                    case .error("file", _, let text, let debug):
                        throw RecordingWriter.failure(text, debug: debug, path: output)
                    case .error(_, _, let text, _): throw Self.unreadable(input, text)
                    default: break
                    }
                }
                try Task.checkCancellation()
            }
            group.addTask { [input] in
                var before: UInt64 = 0
                repeat {
                    before = streams.end
                    try await Task.sleep(for: Self.timeout)
                } while streams.end > before
                throw Self.unreadable(input, "it delivers no more data")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        guard !streams.codecs.isEmpty, streams.end > 0 else {
            throw Self.unreadable(input, "it contains no video or audio of a supported codec")
        }
    }

    private nonisolated static func unreadable(_ path: String, _ reason: String) -> MediaFailure {
        .source(
            message: "\(path) cannot be recovered: \(reason)",
            hint: "`ffprobe \(path)` shows what is left"
        )
    }
}
