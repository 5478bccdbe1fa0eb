/// The parts of a candidate's text (RFC 8839 §5.1) that this program reads.
package struct CandidateLine {
    /// As in `UDP`, in the sender's case.
    package let transport: Substring
    /// An IP address, or an mDNS name.
    package let address: Substring
    /// `host`, `srflx`, `prflx` or `relay`; nil where the text does not say in its place.
    package let type: Substring?
    /// The `raddr` of a candidate that is none of a host.
    package let relatedAddress: Substring?

    /// Nil for a text with fewer fields than every candidate has.
    package init?(_ candidate: String) {
        let fields = candidate.split(separator: " ")
        guard fields.count >= 8 else { return nil }
        (transport, address) = (fields[2], fields[4])
        type = fields[6] == "typ" ? fields[7] : nil
        relatedAddress = fields.firstIndex(of: "raddr").flatMap {
            fields.indices.contains($0 + 1) ? fields[$0 + 1] : nil
        }
    }
}
