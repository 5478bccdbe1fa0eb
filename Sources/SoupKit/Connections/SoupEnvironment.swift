internal import Glibc

/// The setup of libsoup, which reads it from the environment.
package enum SoupEnvironment {
    private static let variable = "SOUP_FORCE_HTTP1"

    /// Makes libsoup offer servers no other protocol than HTTP/1.1.
    ///
    /// It limits the header of a response in HTTP/1.1, but not in HTTP/2, where a server can refer to the same long
    /// field any number of times (HPACK, RFC 7541 §7.3).
    ///
    /// Call this method before another thread starts, because `setenv` must not run beside `getenv`. Otherwise the
    /// first session calls it, before libsoup opens its first connection and reads the variable once.
    package static func prepare() { setenv(variable, "1", 0) }
}
