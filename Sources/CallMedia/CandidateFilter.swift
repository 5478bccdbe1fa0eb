internal import CallCore

/// Leaves out local candidates that cannot work.
enum CandidateFilter {
    /// Whether to send `candidate` (RFC 8839 syntax): UDP, and not link-local.
    static func isUseful(_ candidate: String) -> Bool {
        let fields = candidate.split(separator: " ")
        guard fields.count >= 8, fields[2].lowercased() == "udp" else { return false }
        let address = fields[4].lowercased()
        return !address.hasPrefix("fe80:") && !address.hasPrefix("169.254.")
    }
}
