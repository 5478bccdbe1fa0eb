internal import GLibKit

/// The addresses of this host's interfaces.
enum HostAddresses {
    /// Whether any interface but loopback is up with an address that ICE can use.
    static var reachBeyondLoopback: Bool {
        beyondLoopback.map { $0.contains { !CandidateFilter.isLinkLocal($0) } } ?? true
    }

    private static var beyondLoopback: Set<String>? {
        LocalAddresses.interfaces().map { Set($0.lazy.filter { !$0.isLoopback }.map(\.address)) }
    }

    /// The addresses that `rule` lets a call use, without loopback; nil where the system does not tell.
    static func beyondLoopback(under rule: LocalAddressRule) -> Set<String>? {
        guard let used = rule.addresses(among: LocalAddresses.interfaces()) else { return beyondLoopback }
        return beyondLoopback?.intersection(used)
    }
}
