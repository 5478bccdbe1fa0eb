internal import Basics
internal import CGLib
internal import Glibc
package import GLibKit

/// The desktop's D-Bus session bus; this process never starts one.
package struct SessionBus: Sendable {
    package let connection: ObjectRef

    /// The time limit for connecting, and for calls that need no action by the user.
    let timeout: Duration

    /// The default time limit, short enough for a user who waits for a window.
    static let defaultTimeout = Duration.seconds(1)

    /// Connects to the session bus of this environment; nil if there is none or it does not answer.
    @LoopActor
    package static func open(
        _ environment: [String: String],
        timeout: Duration = defaultTimeout
    ) async -> SessionBus? {
        guard hasAddress(environment) else { return nil }
        let connection = try? await within(timeout) {
            try await gio { cancellable, callback, data in
                g_bus_get(G_BUS_TYPE_SESSION, cancellable, callback, data)
            } finish: { result, error in
                g_bus_get_finish(result, error).map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
            }
        }
        return connection.flatMap(\.self).map { SessionBus($0, timeout) }
    }

    /// Connects to the bus at this address.
    ///
    /// - Throws: `GLibError`, or `CancellationError` if the bus does not answer.
    @LoopActor
    package static func open(
        address: String,
        timeout: Duration = defaultTimeout
    ) async throws -> SessionBus {
        let flags =
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
            | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
        let connection = try await within(timeout) {
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
        return SessionBus(connection, timeout)
    }

    private init(_ connection: ObjectRef, _ timeout: Duration) {
        (self.connection, self.timeout) = (connection, timeout)
        // By default, GDBus ends the process when the bus connection closes.
        g_dbus_connection_set_exit_on_close(connection.opaque, 0)
    }

    /// Checks whether GIO would find a bus without starting one.
    static func hasAddress(_ environment: [String: String]) -> Bool {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            return !address.contains("autolaunch:")
        }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
        var status = stat()
        return stat("\(folder)/bus", &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Checks whether a service owns this bus name, or can be activated under it.
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

    /// The name of this connection on the bus, such as `:1.42`.
    var uniqueName: String? {
        g_dbus_connection_get_unique_name(connection.opaque).map { String(cString: $0) }
    }

    /// An argument of a method.
    indirect enum Argument: Hashable, Sendable {
        case string(String)
        case number(UInt32)
        case signed(Int32)
        case byte(UInt8)
        /// At least one string.
        case strings([String])
        case tuple([Argument])
        /// At least one value; all have the same type.
        case array([Argument])
        /// Options by their names.
        case options([String: Argument])
    }

    /// Calls a method without waiting for its reply.
    @LoopActor
    func post(
        _ name: String,
        _ path: String,
        _ interface: String,
        _ method: String,
        _ arguments: [Argument] = []
    ) {
        var values = arguments.map(\.value)
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
            nil,
            nil,
            nil
        )
    }

    /// Calls a method.
    ///
    /// - Throws: `GLibError`, or `CancellationError` after a timeout.
    @LoopActor
    func call(
        _ name: String,
        _ path: String,
        _ interface: String,
        _ method: String,
        _ arguments: [Argument] = []
    ) async throws -> Variant? {
        let connection = connection
        return try await within(timeout) {
            try await gio { cancellable, callback, data in
                var values = arguments.map(\.value)
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

extension SessionBus.Argument {
    /// A new floating variant, whose ownership passes to the tuple of the arguments.
    fileprivate var value: OpaquePointer? {
        switch self {
        case .string(let text): return g_variant_new_string(text)
        case .strings(let texts):
            var items = texts.map { g_variant_new_string($0) }
            return g_variant_new_array(nil, &items, gsize(items.count))
        case .number(let number): return g_variant_new_uint32(number)
        case .signed(let number): return g_variant_new_int32(number)
        case .byte(let number): return g_variant_new_byte(number)
        case .tuple(let arguments):
            var items = arguments.map(\.value)
            return g_variant_new_tuple(&items, gsize(items.count))
        case .array(let arguments):
            var items = arguments.map(\.value)
            return g_variant_new_array(nil, &items, gsize(items.count))
        case .options(let options):
            var items = options.map { name, argument in
                g_variant_new_dict_entry(g_variant_new_string(name), g_variant_new_variant(argument.value))
            }
            // The type of the entries, because there may be none.
            let type = g_variant_type_new("{sv}")
            defer { g_variant_type_free(type) }
            return g_variant_new_array(type, &items, gsize(items.count))
        }
    }
}

/// Runs `body` and cancels it after `limit`.
///
/// - Throws: The error of `body`, or `CancellationError` after a timeout.
func within<Result: Sendable>(
    _ limit: Duration,
    _ body: @escaping @LoopActor @Sendable () async throws -> Result
) async throws -> Result {
    guard let result = try await withDeadline(limit, { try await body() }) else { throw CancellationError() }
    return result
}
