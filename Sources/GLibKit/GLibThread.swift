internal import CGLib

/// A thread that GLib creates.
enum GLibThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread that runs `body`, which is released when it returns.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = g_thread_new(
            name,
            { data in
                // g_thread_new passes on exactly the pointer given to it.
                Unmanaged<Work>.fromOpaque(data!).takeRetainedValue().run()
                return nil
            },
            Unmanaged.passRetained(Work(body)).toOpaque()
        )
        g_thread_unref(thread)
    }
}
