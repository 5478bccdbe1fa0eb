internal import CallCore
internal import GStreamerKit

extension LiveMediaSession {
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

    func addEarlyCandidates() {
        for candidate in earlyRemoteCandidates { addNow(candidate) }
        earlyRemoteCandidates = []
    }

    private func addNow(_ candidate: ICECandidate) {
        let byMid = candidate.sdpMid.flatMap { remote?.index(ofMid: $0) }
        guard let index = byMid ?? candidate.sdpMLineIndex, index >= 0 else { return }
        bin.addCandidate(candidate.candidate, mLineIndex: index)
    }

    func announce(_ candidate: WebRTCBin.LocalCandidate) {
        guard let description else {
            earlyCandidates.append(candidate)
            return
        }
        guard CandidateFilter.isUseful(candidate.candidate) else { return }
        bases.add(candidate.candidate)
        news.yield(
            .localCandidate(
                ICECandidate(
                    candidate: candidate.candidate,
                    sdpMid: description.mid(at: candidate.mLineIndex),
                    sdpMLineIndex: candidate.mLineIndex,
                    usernameFragment: description.iceUfrag
                )
            )
        )
    }
}
