internal import Glibc
internal import NIOPosix

/// The threads for calls of the file system, which may take long; other threads answer requests.
package enum FileThreads {
    /// The number of files that are removed before others have their turn.
    private static let batch = 256

    /// Calls a function on one of the threads, also for a task that was cancelled.
    ///
    /// - Throws: An error if the process ends.
    package static func run<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async throws -> Value {
        try await Task { try await NIOThreadPool.singleton.runIfActive(body) }.value
    }

    /// Removes files, which need not exist.
    package static func remove(_ paths: [String]) async {
        for start in stride(from: 0, to: paths.count, by: batch) {
            let part = paths[start..<min(start + batch, paths.count)]
            try? await run { for path in part { unlink(path) } }
        }
    }
}
