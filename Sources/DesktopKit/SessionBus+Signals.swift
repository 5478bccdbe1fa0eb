internal import CGLib
internal import GLibKit

extension SessionBus {
    /// The D-Bus signal to receive: its sender, object path, interface and name.
    struct Signal: Sendable {
        let sender: String
        let path: String
        let interface: String
        let name: String
        /// The required value of the signal's first argument; nil to receive all signals.
        var firstArgument: String?

        /// The signal for a change of the process that owns a name; the third argument is the owner's new unique name,
        /// or an empty text if there is none.
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

    /// Calls `handler` with the arguments of each matching signal, until `unsubscribe(_:)` is called.
    ///
    /// - Returns: The subscription ID for `unsubscribe(_:)`.
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
