/// By what a description says that its peer's certificate is known.
package struct CertificateFingerprints: Hashable, Sendable {
    /// Of each section the fingerprints of its strongest function; the certificate must match one of each.
    ///
    /// All sections share one transport, and so one certificate.
    fileprivate let alternatives: Set<Set<Fingerprint>>

    /// Compares a certificate with the one that is meant.
    ///
    /// - Parameter digest: of the certificate's DER.
    /// - Returns: why it is another one, in words; nil where it is the one.
    package func objection(to digest: (Fingerprint.HashFunction) -> [UInt8]) -> String? {
        guard !alternatives.isEmpty else { return "its description names no certificate" }
        for wanted in alternatives {
            guard let function = wanted.first?.function else { continue }
            let found = Fingerprint(function, digest(function))
            if !wanted.contains(found) { return Self.sentence(found, wanted) }
        }
        return nil
    }

    private static func sentence(_ found: Fingerprint, _ wanted: Set<Fingerprint>) -> String {
        let isAmbiguous = wanted.contains { $0.abbreviated == found.abbreviated }
        let text = isAmbiguous ? \Fingerprint.whole : \.abbreviated
        let names = wanted.map { $0[keyPath: text] }.sorted().joined(separator: " or ")
        return "its certificate is \(found[keyPath: text]), its description names \(names)"
    }
}

extension SessionDescription {
    /// What the certificate of whoever has written this must be known by; nothing where no section is in use.
    ///
    /// - Throws: `SessionDescriptionError` where a section that is in use cannot be verified.
    package func certificateFingerprints() throws(SessionDescriptionError) -> CertificateFingerprints {
        var alternatives: Set<Set<Fingerprint>> = []
        let active = media.filter { !$0.isRejected }
        for section in active {
            // What a section says itself holds for it instead of what is said for the whole session.
            let lines = section.fingerprints.isEmpty ? fingerprints : section.fingerprints
            guard !lines.isEmpty else { continue }
            guard !lines.strongest.isEmpty else { throw .unusableFingerprints(lines.unusable.sorted()) }
            alternatives.insert(lines.strongest)
        }
        guard active.isEmpty || !alternatives.isEmpty else { throw .noFingerprint }
        return CertificateFingerprints(alternatives: alternatives)
    }
}
