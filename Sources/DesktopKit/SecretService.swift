internal import CGLib
internal import CSecret
package import GLibKit

/// The user's keyring, as the desktop's Secret Service keeps it; by libsecret.
@LoopActor
package struct SecretService {
    /// A person may be asked to unlock the keyring.
    private static let patienceWithPeople = Duration.seconds(60)
    private static let name = "org.freedesktop.secrets"

    private let bus: SessionBus

    /// Nil where this session has none; tells within seconds, and starts no bus.
    package init?(
        _ environment: [String: String],
        patience: Duration = SessionBus.usualPatience
    ) async {
        guard let bus = await SessionBus.open(environment, patience: patience), await bus.knows(Self.name)
        else {
            return nil
        }
        self.bus = bus
        // What libsecret keeps of a service that was started anew since would be of no use.
        secret_service_disconnect()
    }

    /// What is kept under this name; nil where nothing is, or the keyring is locked, which nobody is asked to
    /// unlock for this.
    ///
    /// - Throws: `GLibError`, or `CancellationError` where it takes too long.
    package func secret(named name: String) async throws -> String? {
        try await within(bus.patience) {
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

    /// Takes over the value.
    private nonisolated static func text(taking value: OpaquePointer?) -> String? {
        guard let value else { return nil }
        defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
        return secret_value_get_text(value).map { String(cString: $0) }
    }

    /// Keeps `secret` in place of what is under this name; a person may be asked to unlock the keyring.
    ///
    /// - Parameters:
    ///   - secret: without a null character.
    ///   - name: for us.
    ///   - label: for people who look into their keyring.
    /// - Throws: `GLibError`, or `CancellationError` where it takes too long.
    package func keep(_ secret: String, named name: String, label: String) async throws {
        let isKept = try await within(Self.patienceWithPeople) {
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
        guard isKept else { throw GLibError(domain: "", code: 0, message: "the keyring does not take it") }
    }

    /// Removes what is kept under this name, if anything is.
    ///
    /// - Throws: `KeyringLocked` where nobody can tell; `GLibError`, or `CancellationError` where it takes too long.
    package func forget(_ name: String) async throws {
        let isRemoved = try await within(Self.patienceWithPeople) {
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

    /// Whether the keyring that secrets are put into is there, and locked: then nothing in it is found.
    package func isLocked() async -> Bool {
        let (path, interface) = ("/org/freedesktop/secrets", "org.freedesktop.Secret.Service")
        let found = try? await bus.call(Self.name, path, interface, "ReadAlias", ["default"])
        // The path “/” stands for none.
        guard let collection = found?.child(0)?.string, collection != "/" else { return false }
        let locked = try? await bus.call(
            Self.name,
            collection,
            "org.freedesktop.DBus.Properties",
            "Get",
            ["org.freedesktop.Secret.Collection", "Locked"]
        )
        return locked?.child(0)?.truth ?? false
    }
}

/// A keyring that a person has to unlock.
package struct KeyringLocked: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String { "it is locked" }
}
