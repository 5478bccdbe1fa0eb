internal import CGLib

/// The system's host name resolver.
package enum NameResolver {
    /// Looks up the IPv4 and IPv6 addresses of a host, in text form.
    ///
    /// - Throws: `GLibError` if the host is unknown or the lookup fails, or `CancellationError`.
    @LoopActor
    package static func addresses(of name: String) async throws -> [String] {
        let resolver = ObjectRef(taking: UnsafeMutableRawPointer(g_resolver_get_default()))
        let handle = resolver.cast(to: GResolver.self)
        return try await gio { cancellable, callback, data in
            g_resolver_lookup_by_name_async(handle, name, cancellable, callback, data)
        } finish: { result, error in
            let found = g_resolver_lookup_by_name_finish(resolver.cast(to: GResolver.self), result, error)
            defer { g_resolver_free_addresses(found) }
            return sequence(first: found) { $0?.pointee.next }.prefix { $0 != nil }.compactMap { entry in
                guard let address = entry?.pointee.data,
                    let text = g_inet_address_to_string(address.assumingMemoryBound(to: GInetAddress.self))
                else { return nil }
                defer { g_free(text) }
                return String(cString: text)
            }
        }
    }
}
