internal import CGLib

/// Whom to believe that a server over TLS is the one that was named.
package enum TLSAuthorities: Hashable, Sendable {
    /// The system's authorities.
    case system
    /// Those of a PEM file, and no others.
    case file(String)
    /// Nobody need vouch: encrypted, but whoever is in between can read along.
    case anybody

    /// Whether TLS is possible at all; on Debian the package `glib-networking` brings it.
    package static var areAvailable: Bool { g_tls_backend_supports_tls(g_tls_backend_get_default()) != 0 }

    /// The `GTlsDatabase` of a PEM file.
    ///
    /// - Throws: `GLibError` for a file that cannot be read or holds no certificate.
    package static func database(ofFile file: String) throws(GLibError) -> ObjectRef {
        // glib-networking opens nothing but absolute paths.
        let path = g_canonicalize_filename(file, nil)
        defer { g_free(path) }
        let database = try withGError { g_tls_file_database_new(path, $0).map(UnsafeMutableRawPointer.init) }
        guard let database else { throw GLibError(domain: "", code: 0, message: "no authorities") }
        return ObjectRef(taking: database)
    }
}
