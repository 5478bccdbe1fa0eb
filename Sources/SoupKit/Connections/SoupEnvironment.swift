internal import CGLib
internal import CSoup
internal import Glibc

/// The setup of libsoup for all sessions of the process, also those of GStreamer.
package enum SoupEnvironment {
    private static let variable = "SOUP_FORCE_HTTP1"

    /// Makes libsoup offer servers no other protocol than HTTP/1.1, and read no protection spaces of Digest challenges.
    ///
    /// It limits the header of a response in HTTP/1.1, but not in HTTP/2, where a server can refer to the same long
    /// field any number of times (HPACK, RFC 7541 §7.3).
    ///
    /// Call this method before another thread starts, because `setenv` must not run beside `getenv`. Otherwise the
    /// first session calls it, before libsoup opens its first connection and reads the variable once.
    package static func prepare() {
        setenv(variable, "1", 0)
        _ = wholeServers
    }

    /// Lets each Digest challenge concern the whole server.
    ///
    /// libsoup 3.2.3 ends the process when a challenge names an address without a host (CVE-2025-4476).
    private static let wholeServers: Void = {
        // The class is never freed.
        let digest = g_type_class_ref(soup_auth_digest_get_type())?.assumingMemoryBound(
            to: SoupAuthClass.self
        )
        digest?.pointee.get_protection_space = { _, _ in g_slist_prepend(nil, g_strdup("")) }
    }()
}
