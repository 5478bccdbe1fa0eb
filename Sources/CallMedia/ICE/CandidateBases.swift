internal import CallCore

/// The addresses that our candidates are sent from: their bases (RFC 8445 §5.1.1).
struct CandidateBases: Hashable, Sendable {
    /// By a candidate's own address; several interfaces may be mapped to one.
    private var bases: [String: Set<String>] = [:]

    /// Notes one of our candidates (RFC 8839 syntax); what is none is ignored.
    mutating func add(_ candidate: String) {
        guard let line = CandidateLine(candidate.lowercased()), let type = line.type else { return }
        // libnice tells the base of each other type there.
        guard let base = type == "host" ? line.address : line.relatedAddress,
            type == "host" || !["0.0.0.0", "::"].contains(base)
        else { return }
        bases[String(line.address), default: []].insert(String(base))
    }

    /// Whether every one of them is among this machine's addresses: then none was lost.
    func areAll(among present: Set<String>) -> Bool { bases.values.allSatisfy(present.isSuperset) }

    /// An address that the connection could be made from and knows nothing of.
    ///
    /// - Parameters:
    ///   - known: this machine's addresses when candidates began to be gathered.
    ///   - present: its addresses now, without loopback.
    /// - Returns: nil where there is none.
    func gained(known: Set<String>, present: Set<String>) -> String? {
        let mine = bases.values.reduce(known) { $0.union($1) }
        return present.subtracting(mine).filter { !CandidateFilter.isLinkLocal($0) }.min()
    }

    /// The address that was lost from under the connection.
    ///
    /// - Parameters:
    ///   - selected: the local address of the pair in use; where there is none, or its base is not known,
    ///     all bases must be gone.
    ///   - present: this machine's addresses.
    /// - Returns: nil where the connection still stands, or nothing was gathered yet.
    func lost(selected: String?, present: Set<String>) -> String? {
        let mine = selected.flatMap { bases[$0.lowercased()] } ?? bases.values.reduce([]) { $0.union($1) }
        return mine.isDisjoint(with: present) ? mine.min() : nil
    }
}
