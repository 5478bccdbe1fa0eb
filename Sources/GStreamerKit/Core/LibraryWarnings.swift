internal import CGStreamer
internal import Glibc
internal import Synchronization

/// A filter for the warnings of libraries on standard error.
///
/// Known warnings that users can ignore are suppressed. The number of other warnings is limited, because a peer can
/// cause any number of them.
enum LibraryWarnings {
    /// The limit on printed warnings: a burst of 20, then one every ten seconds.
    private static let lines = Mutex(Allowance(maximum: 20, perSecond: 0.1))

    /// Filters the warnings from now on; to be called once per process.
    static func filter() {
        _ = g_log_set_default_handler(
            { domain, level, message, data in
                let kinds = G_LOG_LEVEL_WARNING.rawValue | G_LOG_LEVEL_CRITICAL.rawValue
                let isWarning = level.rawValue & kinds != 0 && level.rawValue & G_LOG_FLAG_FATAL.rawValue == 0
                if isWarning, let message, !LibraryWarnings.mayPrint(String(cString: message)) { return }
                g_log_default_handler(domain, level, message, data)
            },
            nil
        )
    }

    private static func mayPrint(_ text: String) -> Bool {
        guard !contains(text, of: threadName) else { return false }
        return lines.withLock { $0.take(1, at: MediaClock.shared.now) }
    }

    static func contains(_ text: String, of thread: String) -> Bool {
        // libnice logs this for each relay if it has not received the TURN server's response.
        text.contains("alive TURN refreshes")
            // The RTP session of GStreamer 1.22 sometimes releases its lock while it iterates over its
            // sources. If a source is added at that time, GLib aborts the iteration; the next report follows
            // 100 ms later. The same happens to webrtcbin, which reads the statistics of all sources; the next
            // statistics are complete again.
            || (thread == "rtpsession-rtcp" || thread.hasPrefix("webrtcbin"))
                && text.contains("g_hash_table_foreach: assertion 'version == hash_table->version'")
    }

    private static var threadName: String {
        let file = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { name in
            let count = read(file, name.baseAddress, name.count)
            return String(decoding: name.prefix(max(0, count - 1)), as: UTF8.self)
        }
    }
}
