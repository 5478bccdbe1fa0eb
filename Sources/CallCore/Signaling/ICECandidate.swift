/// A trickled candidate with the m-line it belongs to (RFC 8838, RFC 8839).
package struct ICECandidate: Hashable, Sendable {
    /// `candidate:…` without the `a=`; empty for the end of candidates.
    package var candidate: String
    /// The `a=mid` of its m-line; wins over `sdpMLineIndex` where both are given.
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
