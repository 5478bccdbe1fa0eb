internal import CallCore

extension PeerConnection {
    /// A trickled ICE candidate (RTCIceCandidateInit; RFC 8838).
    public struct Candidate: Hashable, Sendable {
        /// The candidate line, `candidate:…`; empty for the end of candidates.
        public var candidate: String
        /// The `a=mid` value of the candidate's m-line; takes precedence over `sdpMLineIndex`.
        public var sdpMid: String?
        /// The index of the candidate's m-line, from 0.
        public var sdpMLineIndex: Int?
        /// The `ice-ufrag` of the session description that the candidate belongs to.
        public var usernameFragment: String?

        /// Creates a candidate received from the peer; `sdpMid` or `sdpMLineIndex` is required.
        public init(
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
    }
}

extension PeerConnection.Candidate {
    init(_ candidate: ICECandidate) {
        self.init(
            candidate: candidate.candidate,
            sdpMid: candidate.sdpMid,
            sdpMLineIndex: candidate.sdpMLineIndex,
            usernameFragment: candidate.usernameFragment
        )
    }
}

extension ICECandidate {
    init(_ candidate: PeerConnection.Candidate) {
        self.init(
            candidate: candidate.candidate,
            sdpMid: candidate.sdpMid,
            sdpMLineIndex: candidate.sdpMLineIndex,
            usernameFragment: candidate.usernameFragment
        )
    }
}
