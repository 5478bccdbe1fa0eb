internal import Glibc

/// The setup of TLS for the program's connections to servers.
enum TLSSettings {
    private static let variable = "G_TLS_GNUTLS_PRIORITY"
    /// TLS 1.3, and of TLS 1.2 the cipher suites with forward secrecy and authenticated encryption, as servers of this
    /// program offer; in the language of GnuTLS.
    private static let priority =
        "NORMAL:%COMPAT:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM"
        + ":+CHACHA20-POLY1305:-MAC-ALL:+AEAD"

    /// Makes glib-networking use no older TLS, unless the user has chosen something else.
    ///
    /// Call this method before another thread starts.
    static func prepare() { setenv(variable, priority, 0) }
}
