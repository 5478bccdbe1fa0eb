/// A trickled candidate and its m-line (RFC 8838, RFC 8839).
package struct ICECandidate: Hashable, Sendable {
    /// The candidate line `candidate:…` without `a=`; empty for the end of candidates.
    package var candidate: String
    /// The `a=mid` of its m-line, which takes precedence over `sdpMLineIndex`.
    package var sdpMid: String?
    package var sdpMLineIndex: Int?
    package var usernameFragment: String?

    package init(
        candidate: String,
        sdpMid: String? = nil,
        sdpMLineIndex: Int? = nil,
        usernameFragment: String? = nil
    ) {
        self.candidate = candidate
        self.sdpMid = sdpMid
        self.sdpMLineIndex = sdpMLineIndex
        self.usernameFragment = usernameFragment
    }

    package var isEndOfCandidates: Bool { candidate.isEmpty }
}
