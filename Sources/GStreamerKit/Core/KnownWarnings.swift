internal import CGStreamer
internal import Glibc

/// Known warnings of libraries that users can ignore, and that are not printed on standard error.
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
