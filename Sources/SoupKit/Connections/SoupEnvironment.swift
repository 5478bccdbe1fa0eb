internal import CGLib
internal import CSoup
internal import Glibc

/// The setup of libsoup for all sessions of the process, including those of GStreamer.
package enum SoupEnvironment {
    private static let variable = "SOUP_FORCE_HTTP1"

    /// Restricts libsoup to HTTP/1.1, and makes it ignore the protection spaces of Digest challenges.
    ///
    /// libsoup limits the size of a response's header in HTTP/1.1, but not in HTTP/2, where a server can refer to the
    /// same long field any number of times (HPACK, RFC 7541 §7.3).
    ///
    /// Call this method before another thread starts, because `setenv` must not run concurrently with `getenv`.
    /// Otherwise the first session calls it, before libsoup opens its first connection and reads the variable once.
    package static func prepare() {
        setenv(variable, "1", 0)
        _ = wholeServers
    }

    /// Makes each Digest challenge apply to the whole server.
    ///
    /// libsoup 3.2.3 crashes if a challenge contains a URI without a host (CVE-2025-4476).
    private static let wholeServers: Void = {
        // The class is never freed.
        let digest = g_type_class_ref(soup_auth_digest_get_type())?.assumingMemoryBound(
            to: SoupAuthClass.self
        )
        digest?.pointee.get_protection_space = { _, _ in g_slist_prepend(nil, g_strdup("")) }
    }()
}
