/// The parts of a candidate line (RFC 8839 §5.1) that this program reads.
package struct CandidateLine {
    /// The transport, such as `UDP`, capitalized as in the line.
    package let transport: Substring
    /// The IP address or mDNS name.
    package let address: Substring
    package let port: Substring
    /// The type: `host`, `srflx`, `prflx` or `relay`; nil if the line has no type.
    package let type: Substring?
    /// The `raddr`, which host candidates do not have.
    package let relatedAddress: Substring?

    /// Parses a candidate line; nil if it lacks a mandatory field.
    package init?(_ candidate: String) {
        let fields = candidate.split(separator: " ")
        guard fields.count >= 8 else { return nil }
        (transport, address, port) = (fields[2], fields[4], fields[5])
        type = fields[6] == "typ" ? fields[7] : nil
        relatedAddress = fields.firstIndex(of: "raddr").flatMap {
            fields.indices.contains($0 + 1) ? fields[$0 + 1] : nil
        }
    }
}
