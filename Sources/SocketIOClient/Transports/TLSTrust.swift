internal import GLibKit

/// The servers that are trusted over TLS.
public enum TLSTrust: Hashable, Sendable {
    /// Servers with a certificate from an authority that the system trusts.
    case system
    /// Servers with a certificate from an authority in the PEM file, and no others.
    case authorities(file: String)
    /// Any server: the connection is encrypted, but open to interception.
    case anybody

    var authorities: TLSAuthorities {
        switch self {
        case .system: .system
        case .authorities(let file): .file(file)
        case .anybody: .anybody
        }
    }
}
