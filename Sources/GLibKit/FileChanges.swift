internal import CGLib

/// Reports changes of a file by any process.
package enum FileChanges {
    /// Watches a file, which need not exist yet, until the task is cancelled; returns immediately if that is
    /// impossible.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the file.
    ///   - onStart: Called when the watch has begun; all later changes are reported.
    ///   - onChange: Called after the file was created, changed, replaced or removed; one change may be reported
    ///     several times.
    @LoopActor package static func follow(
        _ path: String,
        onStart: @Sendable () -> Void = {},
        onChange: @escaping @Sendable () -> Void
    ) async {
        let file = ObjectRef(taking: UnsafeMutableRawPointer(g_file_new_for_path(path)))
        guard let created = g_file_monitor_file(file.opaque, G_FILE_MONITOR_NONE, nil, nil) else { return }
        // The signal comes on the loop thread, whose context is the default one here.
        let monitor = ObjectRef(taking: UnsafeMutableRawPointer(created))
        let connection = monitor.connect("changed") { _ in onChange() }
        onStart()
        let (cancellation, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in cancellation {}
        continuation.finish()
        connection.disconnect()
        g_file_monitor_cancel(monitor.cast(to: GFileMonitor.self))
    }
}
