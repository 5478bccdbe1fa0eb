internal import CGLib
internal import GLibKit

/// A file that is created and written without blocking the loop; only the user may read it.
@LoopActor
final class NewFile {
    private let path: String
    private let stream: ObjectRef

    /// Creates the file.
    ///
    /// - Throws: `HTTPFailure.file` if it cannot be created or exists; `CancellationError`.
    init(at path: String) async throws {
        self.path = path
        let file = ObjectRef(taking: UnsafeMutableRawPointer(g_file_new_for_path(path)))
        let opened = try await Self.reporting(path) {
            try await gio { cancellable, callback, data in
                g_file_create_async(
                    file.opaque,
                    G_FILE_CREATE_PRIVATE,
                    G_PRIORITY_DEFAULT,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                g_file_create_finish(file.opaque, result, error)
                    .map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
            }
        }
        guard let opened else { throw HTTPFailure.file(path: path, reason: "it cannot be created") }
        stream = opened
    }

    /// Appends the bytes.
    ///
    /// - Throws: `HTTPFailure.file` or `CancellationError`.
    func append(_ bytes: [UInt8]) async throws {
        let stream = stream
        // The bytes must stay where they are until the write ends.
        let content = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { content.deallocate() }
        content.copyBytes(from: bytes)
        nonisolated(unsafe) let start = content.baseAddress  // freed only after the write has ended
        _ = try await Self.reporting(path) {
            try await gio { cancellable, callback, data in
                g_output_stream_write_all_async(
                    stream.cast(to: GOutputStream.self),
                    start,
                    gsize(bytes.count),
                    G_PRIORITY_DEFAULT,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                g_output_stream_write_all_finish(stream.cast(to: GOutputStream.self), result, nil, error) != 0
            }
        }
    }

    /// Closes the file.
    ///
    /// - Throws: `HTTPFailure.file` or `CancellationError`.
    func close() async throws {
        let stream = stream
        _ = try await Self.reporting(path) {
            try await gio { cancellable, callback, data in
                g_output_stream_close_async(
                    stream.cast(to: GOutputStream.self),
                    G_PRIORITY_DEFAULT,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                g_output_stream_close_finish(stream.cast(to: GOutputStream.self), result, error) != 0
            }
        }
    }

    private static func reporting<Result: Sendable>(
        _ path: String,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do { return try await body() } catch let error as GLibError {
            throw HTTPFailure.file(path: path, reason: error.message)
        }
    }
}
