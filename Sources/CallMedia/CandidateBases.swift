/// The addresses that our candidates are sent from: their bases (RFC 8445 §5.1.1).
struct CandidateBases: Hashable, Sendable {
    /// By a candidate's own address; several interfaces may be mapped to one.
    private var bases: [String: Set<String>] = [:]

    /// Notes one of our candidates (RFC 8839 syntax); what is none is ignored.
    mutating func add(_ candidate: String) {
        let fields = candidate.lowercased().split(separator: " ").map { String($0) }
        guard fields.count >= 8, fields[6] == "typ" else { return }
        let isHost = fields[7] == "host"
        guard let base = isHost ? fields[4] : Self.relatedAddress(in: fields) else { return }
        bases[fields[4], default: []].insert(base)
    }

    /// libnice tells the base there for each type.
    private static func relatedAddress(in fields: [String]) -> String? {
        guard let index = fields.firstIndex(of: "raddr"), index + 1 < fields.count else { return nil }
        return ["0.0.0.0", "::"].contains(fields[index + 1]) ? nil : fields[index + 1]
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
