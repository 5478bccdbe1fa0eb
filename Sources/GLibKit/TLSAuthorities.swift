internal import CGLib

/// The certificate authorities trusted for a TLS connection.
package enum TLSAuthorities: Hashable, Sendable {
    /// The authorities that the system trusts.
    case system
    /// Only the authorities of a PEM file.
    case file(String)
    /// No verification: the connection is encrypted, but not protected against a man in the middle.
    case anybody

    /// Whether TLS is available; on Debian the package `glib-networking` provides it.
    package static var areAvailable: Bool { g_tls_backend_supports_tls(g_tls_backend_get_default()) != 0 }

    /// Opens a PEM file as a `GTlsDatabase`.
    ///
    /// - Throws: `GLibError` if the file cannot be read or holds no certificate.
    package static func database(ofFile file: String) throws(GLibError) -> ObjectRef {
        // glib-networking opens absolute paths only.
        let path = g_canonicalize_filename(file, nil)
        defer { g_free(path) }
        let database = try withGError { g_tls_file_database_new(path, $0).map(UnsafeMutableRawPointer.init) }
        guard let database else { throw GLibError(domain: "", code: 0, message: "no authorities") }
        return ObjectRef(taking: database)
    }
}
