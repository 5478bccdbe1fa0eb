/// The fingerprints by which a session description identifies the certificate of its sender.
package struct CertificateFingerprints: Hashable, Sendable {
    /// One set for each section, with the fingerprints of the section's strongest hash function.
    ///
    /// All sections share one transport and certificate, which must match one fingerprint of every set.
    fileprivate let alternatives: Set<Set<Fingerprint>>

    /// Checks whether a certificate matches the fingerprints.
    ///
    /// - Parameter digest: computes the digest of the certificate's DER.
    /// - Returns: a description of the mismatch; nil if the certificate matches.
    package func objection(to digest: (Fingerprint.HashFunction) -> [UInt8]) -> String? {
        guard !alternatives.isEmpty else { return "its session description has no certificate fingerprint" }
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
        return
            "its certificate has the fingerprint \(found[keyPath: text]), its session description has \(names)"
    }
}

extension SessionDescription {
    /// Returns the fingerprints that the certificate of the description's sender must match.
    ///
    /// The result is empty if no section is in use.
    ///
    /// - Throws: `SessionDescriptionError` if no section in use has a fingerprint, or if a section has only
    ///   fingerprints that cannot be used.
    package func certificateFingerprints() throws(SessionDescriptionError) -> CertificateFingerprints {
        var alternatives: Set<Set<Fingerprint>> = []
        let active = media.filter { !$0.isRejected }
        for section in active {
            // The fingerprints of a section replace those of the session.
            let lines = section.fingerprints.isEmpty ? fingerprints : section.fingerprints
            guard !lines.isEmpty else { continue }
            guard !lines.strongest.isEmpty else { throw .unusableFingerprints(lines.unusable.sorted()) }
            alternatives.insert(lines.strongest)
        }
        guard active.isEmpty || !alternatives.isEmpty else { throw .noFingerprint }
        return CertificateFingerprints(alternatives: alternatives)
    }
}
