internal import GLibKit

/// The addresses of this host's interfaces.
enum HostAddresses {
    /// Whether any interface but loopback is up with an address that ICE can use.
    static var reachBeyondLoopback: Bool {
        beyondLoopback.map { $0.contains { !CandidateFilter.isLinkLocal($0) } } ?? true
    }

    /// The addresses of all interfaces but loopback that are up; nil where the system does not tell.
    static var beyondLoopback: Set<String>? {
        LocalAddresses.interfaces().map { Set($0.lazy.filter { !$0.isLoopback }.map(\.address)) }
    }
}
