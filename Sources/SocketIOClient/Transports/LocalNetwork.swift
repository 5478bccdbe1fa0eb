internal import GLibKit

/// What a connection hears of the network of the machine that it is on.
package struct LocalNetwork: Sendable {
    /// One for each change; iterated by each connection.
    package var changes: any AsyncSequence<Void, Never> & Sendable
    /// The addresses of this machine, in text; nil where nobody knows.
    package var addresses: @Sendable () -> Set<String>?

    package init(
        changes: any AsyncSequence<Void, Never> & Sendable,
        addresses: @escaping @Sendable () -> Set<String>?
    ) {
        self.changes = changes
        self.addresses = addresses
    }

    /// The system's word.
    package static let system = LocalNetwork(
        changes: NetworkMonitor(),
        addresses: { LocalAddresses.current() }
    )
}
