internal import CGLib

/// Reports of changes of a file by any process.
package enum FileChanges {
    /// Watches a file, which need not exist yet, for its creation, change, replacement and removal.
    ///
    /// - Parameter path: The absolute path of the file.
    /// - Returns: An element after one or more changes, for one reader; ends at once if the system cannot watch the file.
    @LoopActor package static func of(_ path: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let file = ObjectRef(taking: UnsafeMutableRawPointer(g_file_new_for_path(path)))
        guard let created = g_file_monitor_file(file.opaque, G_FILE_MONITOR_NONE, nil, nil) else {
            continuation.finish()
            return stream
        }
        // The signal comes on the loop thread, whose context is the default one here.
        let monitor = ObjectRef(taking: UnsafeMutableRawPointer(created))
        let connection = monitor.connect("changed") { _ in continuation.yield() }
        continuation.onTermination = { _ in
            connection.disconnect()
            g_file_monitor_cancel(monitor.cast(to: GFileMonitor.self))
        }
        return stream
    }
}
