internal import CallCore
internal import Glibc

/// Filters out ICE candidates that cannot work.
enum CandidateFilter {
    /// The maximum length of a candidate in bytes; RFC 8839 sets no limit, but real candidates are far
    /// shorter.
    private static let longest = 1024

    /// Returns whether to send `candidate` (RFC 8839 syntax): it must use UDP, not be link-local and have at
    /// most `longest` bytes.
    static func isUseful(_ candidate: String) -> Bool {
        guard candidate.utf8.count <= longest else { return false }
        guard let line = CandidateLine(candidate), line.transport.lowercased() == "udp" else { return false }
        return !isLinkLocal(line.address.lowercased())
    }

    /// Returns a relayed candidate in which a placeholder replaces the related address (RFC 8839 §5.1:
    /// `raddr`, `rport`).
    static func withoutRelatedAddress(_ candidate: String) -> String {
        var fields = candidate.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        for (name, nothing) in [("raddr", candidate.contains("::") ? "::" : "0.0.0.0"), ("rport", "9")] {
            guard let at = fields.firstIndex(of: name), fields.indices.contains(at + 1) else { continue }
            fields[at + 1] = nothing
        }
        return fields.joined(separator: " ")
    }

    /// Returns whether a remote candidate is safe to pass to the ICE agent, which itself ignores unusable ones.
    ///
    /// The position of the address must be unambiguous: webrtcbin splits the line at each space, and resolves an
    /// address that ends in `.local`.
    static func isAcceptable(_ candidate: String) -> Bool {
        let bytes = candidate.utf8
        guard bytes.count <= longest, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return false }
        let fields = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard let line = CandidateLine(candidate), line.type != nil,
            fields.prefix(8).allSatisfy({ !$0.isEmpty })
        else { return false }
        return ["candidate:", "a=candidate:"].contains { candidate.lowercased().hasPrefix($0) }
    }

    /// Returns the transport address of a candidate in a normalized form, so that equal addresses have equal texts.
    ///
    /// libnice 0.1.21 terminates the process if two candidates of different types have the same transport address.
    ///
    /// - Returns: The text; nil for an address that is neither numeric nor the mDNS name of a host candidate.
    static func transportAddress(of candidate: String) -> String? {
        guard let line = CandidateLine(candidate), let port = UInt16(line.port) else { return nil }
        let end = "\(port) \(line.transport.lowercased())"
        if isNamed(candidate) { return line.type == "host" ? "\(line.address.lowercased()) \(end)" : nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        let (address, isIPv6) = (String(line.address), line.address.contains(":"))
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, address, &bytes) == 1 else { return nil }
        return "\(isIPv6) \(bytes) \(end)"
    }

    /// Returns whether a candidate's address is an mDNS name, as browsers send it
    /// (draft-ietf-mmusic-mdns-ice-candidates).
    static func isNamed(_ candidate: String) -> Bool {
        CandidateLine(candidate)?.address.lowercased().hasSuffix(".local") ?? false
    }

    /// Returns whether an address is in fe80::/10 (RFC 4291 §2.5.6) or 169.254/16 (RFC 3927).
    static func isLinkLocal(_ address: String) -> Bool {
        ["fe8", "fe9", "fea", "feb"].contains { address.hasPrefix($0) && address.contains(":") }
            || address.hasPrefix("169.254.")
    }
}
