internal import CallCore

/// The base addresses of our candidates: the local addresses that we send from (RFC 8445 §5.1.1).
struct CandidateBases: Hashable, Sendable {
    /// The base addresses by candidate address; several interfaces may be mapped to one address.
    private var bases: [String: Set<String>] = [:]

    /// Records one of our candidates (RFC 8839 syntax) and ignores malformed ones.
    mutating func add(_ candidate: String) {
        guard let line = CandidateLine(candidate.lowercased()), let type = line.type else { return }
        // For other types than host candidates, libnice puts the base into the related address.
        guard let base = type == "host" ? line.address : line.relatedAddress,
            type == "host" || !["0.0.0.0", "::"].contains(base)
        else { return }
        bases[String(line.address), default: []].insert(String(base))
    }

    /// Returns whether this machine still has all base addresses.
    func areAll(among present: Set<String>) -> Bool { bases.values.allSatisfy(present.isSuperset) }

    /// Finds an address that is new since gathering and from which the connection could be made.
    ///
    /// - Parameters:
    ///   - known: this machine's addresses when gathering began.
    ///   - present: its addresses now, without loopback.
    /// - Returns: the address; nil if there is none.
    func gained(known: Set<String>, present: Set<String>) -> String? {
        let mine = bases.values.reduce(known) { $0.union($1) }
        return present.subtracting(mine).filter { !CandidateFilter.isLinkLocal($0) }.min()
    }

    /// Finds the address that the connection used and that this machine has lost.
    ///
    /// - Parameters:
    ///   - selected: the local address of the selected pair; without one, or if its base address is unknown,
    ///     all base addresses must be gone.
    ///   - present: this machine's addresses.
    /// - Returns: the address; nil if the connection still has one, or nothing was gathered yet.
    func lost(selected: String?, present: Set<String>) -> String? {
        let mine = selected.flatMap { bases[$0.lowercased()] } ?? bases.values.reduce([]) { $0.union($1) }
        return mine.isDisjoint(with: present) ? mine.min() : nil
    }
}
