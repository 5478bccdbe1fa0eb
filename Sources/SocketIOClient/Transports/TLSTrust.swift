/// The servers that are trusted over TLS.
public enum TLSTrust: Hashable, Sendable {
    /// Servers with a certificate from an authority that the system trusts.
    case system
    /// Servers with a certificate from an authority in the PEM file, and no others.
    case authorities(file: String)
    /// Any server: the connection is encrypted, but open to interception.
    case anybody
}
