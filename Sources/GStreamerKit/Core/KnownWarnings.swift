internal import CGStreamer
internal import Glibc

/// The warnings of libraries that users can do nothing about, kept off standard error.
enum KnownWarnings {
    /// Suppresses these warnings from now on; to be called once per process.
    static func suppress() {
        for (domain, level) in [("libnice", G_LOG_LEVEL_WARNING), ("GLib", G_LOG_LEVEL_CRITICAL)] {
            g_log_set_handler(
                domain,
                level,
                { domain, level, message, data in
                    let text = message.map { String(cString: $0) } ?? ""
                    if !KnownWarnings.contains(text, of: KnownWarnings.threadName) {
                        g_log_default_handler(domain, level, message, data)
                    }
                },
                nil
            )
        }
    }

    static func contains(_ text: String, of thread: String) -> Bool {
        // Logged for each relay whose server's response libnice did not receive.
        text.contains("alive TURN refreshes")
            // The RTP session of GStreamer 1.22 releases its lock now and then while it iterates over its
            // sources; GLib ends the iteration if a source was added meanwhile, and the next report follows
            // 100 ms later.
            || thread == "rtpsession-rtcp"
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
