internal import Glibc
internal import NIOPosix

/// The threads for file system calls, which may block; the threads that answer requests must not block.
package enum FileThreads {
    /// The maximum number of files that are removed in one call, so that calls of other tasks need not wait
    /// long.
    private static let batch = 256

    /// Calls a function on one of these threads, even if the task was cancelled.
    ///
    /// - Throws: An error if the process is ending.
    package static func run<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async throws -> Value {
        try await Task { try await NIOThreadPool.singleton.runIfActive(body) }.value
    }

    /// Removes files; files that do not exist are ignored.
    package static func remove(_ paths: [String]) async {
        for start in stride(from: 0, to: paths.count, by: batch) {
            let part = paths[start..<min(start + batch, paths.count)]
            try? await run { for path in part { unlink(path) } }
        }
    }
}
