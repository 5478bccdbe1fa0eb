internal import GLibKit

/// The addresses of this host's interfaces.
enum HostAddresses {
    /// Whether any interface but loopback is up with an address that ICE can use.
    static var reachBeyondLoopback: Bool {
        guard let interfaces = LocalAddresses.interfaces() else { return true }
        return interfaces.contains { !$0.isLoopback && !CandidateFilter.isLinkLocal($0.address) }
    }
}
