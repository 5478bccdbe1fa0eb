/// Which servers to trust over TLS.
public enum TLSTrust: Hashable, Sendable {
    /// Those whose certificate the system's authorities vouch for.
    case system
    /// Those whose certificate the authorities in a PEM file vouch for, and no others.
    case authorities(file: String)
    /// Everybody: encrypted, but whoever is in between can read along.
    case anybody
}
