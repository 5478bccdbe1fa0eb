internal import CGLib
internal import CSecret
package import GLibKit

/// The user's keyring, accessed through the desktop's Secret Service with libsecret.
@LoopActor
package struct SecretService {
    /// The time limit of calls in which the user may be asked to unlock the keyring.
    private static let promptTimeout = Duration.seconds(60)
    private static let name = "org.freedesktop.secrets"

    private let bus: SessionBus

    /// Connects to the Secret Service; nil if the desktop session has none.
    ///
    /// It returns within seconds and never starts a D-Bus session bus.
    package init?(
        _ environment: [String: String],
        timeout: Duration = SessionBus.defaultTimeout
    ) async {
        guard let bus = await SessionBus.open(environment, timeout: timeout), await bus.knows(Self.name)
        else {
            return nil
        }
        self.bus = bus
        // libsecret may have cached a proxy of a service that has been restarted since.
        secret_service_disconnect()
    }

    /// Reads the secret stored under this name; nil if there is none or the keyring is locked.
    ///
    /// It never asks the user to unlock the keyring.
    ///
    /// - Throws: `GLibError`, or `CancellationError` after a timeout.
    package func secret(named name: String) async throws -> String? {
        try await within(bus.timeout) {
            for item in try await Self.items(named: name) {
                let value = try? await gio { cancellable, callback, data in
                    secret_retrievable_retrieve_secret(item.opaque, cancellable, callback, data)
                } finish: { result, error in
                    Self.text(taking: secret_retrievable_retrieve_secret_finish(item.opaque, result, error))
                }
                if let value = value.flatMap(\.self) { return value }
            }
            return nil
        }
    }

    private static func items(named name: String) async throws -> [ObjectRef] {
        let attributes = callrunner_secret_attributes(name)
        defer { g_hash_table_unref(attributes) }
        return try await gio { cancellable, callback, data in
            secret_password_searchv(
                callrunner_secret_schema(),
                attributes,
                SECRET_SEARCH_ALL,
                cancellable,
                callback,
                data
            )
        } finish: { result, error in
            let list = secret_password_search_finish(result, error)
            defer { g_list_free(list) }
            return sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }.compactMap {
                $0?.pointee.data.map { ObjectRef(taking: $0) }
            }
        }
    }

    /// Copies the text of a secret and releases `value`.
    private nonisolated static func text(taking value: OpaquePointer?) -> String? {
        guard let value else { return nil }
        defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
        return secret_value_get_text(value).map { String(cString: $0) }
    }

    /// Stores `secret` and replaces any secret with this name; the user may be asked to unlock the keyring.
    ///
    /// - Parameters:
    ///   - secret: The text to store, without null characters.
    ///   - name: The name for later lookups.
    ///   - label: The description that the user sees in the keyring.
    /// - Throws: `GLibError`, or `CancellationError` after a timeout.
    package func keep(_ secret: String, named name: String, label: String) async throws {
        let isKept = try await within(Self.promptTimeout) {
            let attributes = callrunner_secret_attributes(name)
            defer { g_hash_table_unref(attributes) }
            return try await gio { cancellable, callback, data in
                secret_password_storev(
                    callrunner_secret_schema(),
                    attributes,
                    SECRET_COLLECTION_DEFAULT,
                    label,
                    secret,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                secret_password_store_finish(result, error) != 0
            }
        }
        guard isKept else { throw GLibError(domain: "", code: 0, message: "the keyring refuses to store it") }
    }

    /// Removes the secret stored under this name, if there is one.
    ///
    /// - Throws: `KeyringLocked` if a locked keyring may hold the secret; `GLibError`; or `CancellationError`
    ///   after a timeout.
    package func forget(_ name: String) async throws {
        let isRemoved = try await within(Self.promptTimeout) {
            let attributes = callrunner_secret_attributes(name)
            defer { g_hash_table_unref(attributes) }
            return try await gio { cancellable, callback, data in
                secret_password_clearv(callrunner_secret_schema(), attributes, cancellable, callback, data)
            } finish: { result, error in
                secret_password_clear_finish(result, error) != 0
            }
        }
        guard !isRemoved, await isLocked() else { return }
        throw KeyringLocked()
    }

    /// Checks whether the default keyring exists and is locked, in which case its secrets cannot be found; true as well
    /// if it does not answer.
    package func isLocked() async -> Bool {
        let (path, interface) = ("/org/freedesktop/secrets", "org.freedesktop.Secret.Service")
        guard let found = try? await bus.call(Self.name, path, interface, "ReadAlias", [.string("default")])
        else { return true }
        // The path “/” means that there is no default keyring.
        guard let collection = found.child(0)?.string, collection != "/" else { return false }
        let locked = try? await bus.call(
            Self.name,
            collection,
            "org.freedesktop.DBus.Properties",
            "Get",
            [.string("org.freedesktop.Secret.Collection"), .string("Locked")]
        )
        return locked?.child(0)?.truth ?? true
    }
}

/// The error of an operation for which the user must first unlock the keyring.
package struct KeyringLocked: Error, Hashable, Sendable, CustomStringConvertible {
    package init() {}
    package var description: String { "it is locked" }
}
