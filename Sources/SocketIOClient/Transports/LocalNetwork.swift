internal import GLibKit

/// The changes and addresses of this host's network.
package struct LocalNetwork: Sendable {
    /// A sequence with one element per network change; each connection iterates over it separately.
    package var changes: any AsyncSequence<Void, Never> & Sendable
    /// The IP addresses of this host as text; nil if they are unknown.
    package var addresses: @Sendable () -> Set<String>?

    package init(
        changes: any AsyncSequence<Void, Never> & Sendable,
        addresses: @escaping @Sendable () -> Set<String>?
    ) {
        self.changes = changes
        self.addresses = addresses
    }

    /// The network as reported by the system.
    package static let system = LocalNetwork(
        changes: NetworkMonitor(),
        addresses: { LocalAddresses.current() }
    )
}
