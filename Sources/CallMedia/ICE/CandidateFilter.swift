internal import CallCore

/// Leaves out candidates that cannot work.
enum CandidateFilter {
    /// RFC 8839 sets no limit; no candidate comes near this.
    private static let longest = 1024

    /// Whether to send `candidate` (RFC 8839 syntax): UDP, and not link-local.
    static func isUseful(_ candidate: String) -> Bool {
        guard candidate.utf8.count <= longest else { return false }
        guard let line = CandidateLine(candidate), line.transport.lowercased() == "udp" else { return false }
        return !isLinkLocal(line.address.lowercased())
    }

    /// The same relayed candidate without the address that it hides (RFC 8839 §5.1: `raddr`, `rport`).
    static func withoutRelatedAddress(_ candidate: String) -> String {
        var fields = candidate.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        for (name, nothing) in [("raddr", candidate.contains("::") ? "::" : "0.0.0.0"), ("rport", "9")] {
            guard let at = fields.firstIndex(of: name), fields.indices.contains(at + 1) else { continue }
            fields[at + 1] = nothing
        }
        return fields.joined(separator: " ")
    }

    /// Whether to hand a remote candidate to the ICE agent, which tells itself what it cannot use.
    static func isAcceptable(_ candidate: String) -> Bool {
        candidate.utf8.count <= longest && !candidate.utf8.contains { $0 < 0x20 }
    }

    /// Whether its address is an mDNS name, as of browsers (draft-ietf-mmusic-mdns-ice-candidates).
    static func isNamed(_ candidate: String) -> Bool {
        CandidateLine(candidate)?.address.lowercased().hasSuffix(".local") ?? false
    }

    /// fe80::/10 (RFC 4291 §2.5.6) and 169.254/16 (RFC 3927).
    static func isLinkLocal(_ address: String) -> Bool {
        ["fe8", "fe9", "fea", "feb"].contains { address.hasPrefix($0) && address.contains(":") }
            || address.hasPrefix("169.254.")
    }
}
