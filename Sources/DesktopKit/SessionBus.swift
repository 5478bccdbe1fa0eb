internal import CGLib
internal import Glibc
package import GLibKit

/// The desktop's message bus, where there is one; none is ever started for us.
package struct SessionBus: Sendable {
    package let connection: ObjectRef

    /// How long the bus, and whoever is asked over it without a person's doing, may take.
    let patience: Duration

    /// Of somebody who waits for a window.
    package static let usualPatience = Duration.seconds(1)

    /// The bus of this process's environment; nil where there is none, or it does not answer.
    @LoopActor
    package static func open(
        _ environment: [String: String],
        patience: Duration = usualPatience
    ) async -> SessionBus? {
        guard hasAddress(environment) else { return nil }
        let connection = try? await within(patience) {
            try await gio { cancellable, callback, data in
                g_bus_get(G_BUS_TYPE_SESSION, cancellable, callback, data)
            } finish: { result, error in
                g_bus_get_finish(result, error).map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
            }
        }
        return connection.flatMap(\.self).map { SessionBus($0, patience) }
    }

    /// The bus at this address.
    ///
    /// - Throws: `GLibError`, or `CancellationError` where it does not answer.
    @LoopActor
    package static func open(
        address: String,
        patience: Duration = usualPatience
    ) async throws -> SessionBus {
        let flags =
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
            | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
        let connection = try await within(patience) {
            try await gio { cancellable, callback, data in
                g_dbus_connection_new_for_address(
                    address,
                    GDBusConnectionFlags(rawValue: flags),
                    nil,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                g_dbus_connection_new_for_address_finish(result, error)
                    .map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
            }
        }
        guard let connection else { throw GLibError(domain: "", code: 0, message: "no connection") }
        return SessionBus(connection, patience)
    }

    private init(_ connection: ObjectRef, _ patience: Duration) {
        (self.connection, self.patience) = (connection, patience)
        // Else the end of the desktop's bus would be the end of this process.
        g_dbus_connection_set_exit_on_close(connection.opaque, 0)
    }

    /// Whether GIO would find a bus without starting one.
    static func hasAddress(_ environment: [String: String]) -> Bool {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            return !address.contains("autolaunch:")
        }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
        var status = stat()
        return stat("\(folder)/bus", &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Whether somebody has this name, or would be started for it.
    @LoopActor
    func knows(_ name: String) async -> Bool {
        let bus = (name: "org.freedesktop.DBus", path: "/org/freedesktop/DBus")
        for method in ["ListNames", "ListActivatableNames"] {
            let reply = try? await call(bus.name, bus.path, bus.name, method)
            guard let names = reply?.child(0) else { continue }
            if (0..<names.count).contains(where: { names.child($0)?.string == name }) { return true }
        }
        return false
    }

    /// Calls a method whose arguments are texts.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    @LoopActor
    func call(
        _ name: String,
        _ path: String,
        _ interface: String,
        _ method: String,
        _ arguments: [String] = []
    ) async throws -> Variant? {
        let connection = connection
        return try await within(patience) {
            try await gio { cancellable, callback, data in
                var values = arguments.map { g_variant_new_string($0) }
                g_dbus_connection_call(
                    connection.opaque,
                    name,
                    path,
                    interface,
                    method,
                    g_variant_new_tuple(&values, gsize(values.count)),
                    nil,
                    G_DBUS_CALL_FLAGS_NONE,
                    -1,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                g_dbus_connection_call_finish(connection.opaque, result, error).map(Variant.init(taking:))
            }
        }
    }
}

/// Runs `body`, which is cancelled where it takes longer.
///
/// - Throws: what `body` throws; `CancellationError` where it took too long.
func within<Result: Sendable>(
    _ limit: Duration,
    _ body: @escaping @LoopActor @Sendable () async throws -> Result
) async throws -> Result {
    let work = Task { try await body() }
    let deadline = Task {
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        work.cancel()
    }
    let result = await withTaskCancellationHandler {
        await work.result
    } onCancel: {
        work.cancel()
    }
    deadline.cancel()
    await deadline.value
    return try result.get()
}
