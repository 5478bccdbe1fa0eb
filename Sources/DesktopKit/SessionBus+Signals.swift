internal import CGLib
internal import GLibKit

extension SessionBus {
    /// A signal of an object.
    struct Signal: Sendable {
        let sender: String
        let path: String
        let interface: String
        let name: String
        /// The value of the first argument of the signals to receive; nil for any.
        var firstArgument: String?

        /// The change of the process that owns a name, with its new unique name as the third argument, or an empty text.
        static func ownerChanged(of name: String) -> Signal {
            Signal(
                sender: "org.freedesktop.DBus",
                path: "/org/freedesktop/DBus",
                interface: "org.freedesktop.DBus",
                name: "NameOwnerChanged",
                firstArgument: name
            )
        }
    }

    /// The receiver of a signal, retained by GDBus until the signal is unsubscribed.
    private final class Listener: Sendable {
        let handle: @Sendable (Variant?) -> Void
        init(_ handle: @escaping @Sendable (Variant?) -> Void) { self.handle = handle }
    }

    /// Calls `handler` with the arguments of each such signal, until `unsubscribe(_:)`.
    ///
    /// - Returns: The ID with which to unsubscribe.
    @LoopActor
    func subscribe(to signal: Signal, _ handler: @escaping @Sendable (Variant?) -> Void) -> guint {
        g_dbus_connection_signal_subscribe(
            connection.opaque,
            signal.sender,
            signal.interface,
            signal.name,
            signal.path,
            signal.firstArgument,
            G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, _, values, data in
                // GDBus keeps the listener alive until it calls the release function below.
                let listener = Unmanaged<Listener>.fromOpaque(data!).takeUnretainedValue()
                listener.handle(values.map(Variant.init(retaining:)))
            },
            Unmanaged.passRetained(Listener(handler)).toOpaque(),
            { Unmanaged<Listener>.fromOpaque($0!).release() }  // the pointer passed in the line above
        )
    }

    func unsubscribe(_ id: guint) { g_dbus_connection_signal_unsubscribe(connection.opaque, id) }
}
