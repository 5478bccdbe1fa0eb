internal import CGStreamer
internal import Glibc

/// What libraries say on standard error that nobody can act on; all else that they say stays there.
enum KnownWarnings {
    /// Keeps them back from now on; once per process.
    static func keepBack() {
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
        // Of each relay whose server's answer libnice did not hear.
        text.contains("alive TURN refreshes")
            // The RTP session of GStreamer 1.22 goes through its sources with its lock released now and then; GLib ends
            // the round when one came meanwhile, and the next report comes 100 ms later.
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
