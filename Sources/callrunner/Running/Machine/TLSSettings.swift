internal import Glibc

/// The setup of TLS for the program's connections to servers.
enum TLSSettings {
    private static let variable = "G_TLS_GNUTLS_PRIORITY"
    /// The GnuTLS priority string, which permits the same as servers of this program: TLS 1.3, and TLS 1.2 with cipher
    /// suites that have forward secrecy and authenticated encryption.
    private static let priority =
        "NORMAL:%COMPAT:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM"
        + ":+CHACHA20-POLY1305:-MAC-ALL:+AEAD"

    /// Sets the priority string for glib-networking, unless the user has set another one.
    ///
    /// Call this method before another thread starts.
    static func prepare() { setenv(variable, priority, 0) }
}
