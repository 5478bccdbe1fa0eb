internal import GLibKit

/// The changes and addresses of this machine's network.
package struct LocalNetwork: Sendable {
    /// One element per change of the network; each connection iterates over it.
    package var changes: any AsyncSequence<Void, Never> & Sendable
    /// The addresses of this machine as text; nil if they are unknown.
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
