internal import CallCore

/// The base addresses of our candidates: the local addresses that we send from (RFC 8445 §5.1.1).
struct CandidateBases: Hashable, Sendable {
    /// The base addresses of each candidate address; a NAT may map several local addresses to the same
    /// candidate address.
    private var bases: [String: Set<String>] = [:]

    /// Records one of our candidates (RFC 8839 syntax) and ignores malformed ones.
    mutating func add(_ candidate: String) {
        guard let line = CandidateLine(candidate.lowercased()), let type = line.type else { return }
        // In candidates of all other types, libnice puts the base into the related address.
        guard let base = type == "host" ? line.address : line.relatedAddress,
            type == "host" || !["0.0.0.0", "::"].contains(base)
        else { return }
        bases[String(line.address), default: []].insert(String(base))
    }

    /// Returns whether this host, whose addresses are `present`, still has all base addresses.
    func areAll(among present: Set<String>) -> Bool { bases.values.allSatisfy(present.isSuperset) }

    /// Finds a local address that was added after gathering and from which a connection could be made.
    ///
    /// - Parameters:
    ///   - known: the addresses of this host when gathering began.
    ///   - present: the current addresses of this host, without loopback.
    /// - Returns: the address; nil if there is none.
    func gained(known: Set<String>, present: Set<String>) -> String? {
        let mine = bases.values.reduce(known) { $0.union($1) }
        return present.subtracting(mine).filter { !CandidateFilter.isLinkLocal($0) }.min()
    }

    /// Finds the local address that the connection used but this host no longer has.
    ///
    /// - Parameters:
    ///   - selected: the local candidate address of the selected pair. If it is nil or its base address is
    ///     unknown, the connection counts as using all base addresses.
    ///   - present: the current addresses of this host.
    /// - Returns: the lost address; nil if one of the addresses used still exists, or if no candidate was
    ///   gathered yet.
    func lost(selected: String?, present: Set<String>) -> String? {
        let mine = selected.flatMap { bases[$0.lowercased()] } ?? bases.values.reduce([]) { $0.union($1) }
        return mine.isDisjoint(with: present) ? mine.min() : nil
    }
}
