internal import CallCore

extension PeerConnection {
    /// A trickled ICE candidate (RTCIceCandidateInit; RFC 8838).
    public struct Candidate: Hashable, Sendable {
        /// `candidate:…`; empty for the end of candidates.
        public var candidate: String
        /// The `a=mid` of its m-line; wins over `sdpMLineIndex`.
        public var sdpMid: String?
        /// The number of its m-line, from 0.
        public var sdpMLineIndex: Int?
        /// The `ice-ufrag` of the description that it belongs to.
        public var usernameFragment: String?

        /// A candidate as the peer sent it; one of `sdpMid` and `sdpMLineIndex` is needed.
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
