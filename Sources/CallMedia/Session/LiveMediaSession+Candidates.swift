internal import CallCore
internal import GStreamerKit

extension LiveMediaSession {
    private static let mostEarlyCandidates = 256
    /// A browser has one name per interface.
    private static let mostNamedCandidates = 16

    // MARK: The peer's

    @MediaActor func add(_ candidate: ICECandidate) async {
        guard !candidate.isEndOfCandidates, closing == nil,
            CandidateFilter.isAcceptable(candidate.candidate)
        else { return }
        guard remote != nil else {
            if earlyRemoteCandidates.count < Self.mostEarlyCandidates {
                earlyRemoteCandidates.append(candidate)
            }
            return
        }
        addNow(candidate)
    }

    /// Agrees with the peer on the pace of the first checks; those of a connected session are few.
    func paceChecks(with remote: SessionDescription) {
        guard !isConnected else { return }
        bin.pace(checks: ICEPacing.shared.agree(with: remote, for: self))
    }

    func addEarlyCandidates() {
        for candidate in earlyRemoteCandidates { addNow(candidate) }
        earlyRemoteCandidates = []
    }

    private func addNow(_ candidate: ICECandidate) {
        let byMid = candidate.sdpMid.flatMap { remote?.index(ofMid: $0) }
        guard let index = byMid ?? candidate.sdpMLineIndex, index >= 0 else { return }
        if CandidateFilter.isNamed(candidate.candidate) {
            // webrtcbin asks the resolver meanwhile; where it does not know, the peer's checks show the address.
            guard namedCandidates < Self.mostNamedCandidates else { return }
            namedCandidates += 1
        }
        bin.addCandidate(candidate.candidate, mLineIndex: index)
    }

    // MARK: Our own

    func announce(_ candidate: WebRTCBin.LocalCandidate) {
        guard let description else {
            earlyCandidates.append(candidate)
            return
        }
        guard CandidateFilter.isUseful(candidate.candidate), announced.insert(candidate).inserted else {
            return
        }
        bases.add(candidate.candidate)
        let isRelay = CandidateLine(candidate.candidate)?.type == "relay"
        if isRelay { hasRelay = true }
        var text = candidate.candidate
        if service.configuration.relayOnly {
            guard isRelay else { return }
            text = CandidateFilter.withoutRelatedAddress(text)
        }
        news.yield(
            .localCandidate(
                ICECandidate(
                    candidate: text,
                    sdpMid: description.mid(at: candidate.mLineIndex),
                    sdpMLineIndex: candidate.mLineIndex,
                    usernameFragment: description.iceUfrag
                )
            )
        )
    }
}
