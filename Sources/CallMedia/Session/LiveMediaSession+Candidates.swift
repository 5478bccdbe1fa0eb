internal import CallCore
internal import GStreamerKit

extension LiveMediaSession {
    private static let maximumEarlyCandidates = 256
    /// The maximum number of the peer's candidates in messages and descriptions together.
    private static let maximumRemoteCandidates = 256
    /// The maximum number of mDNS names to resolve; a browser sends one per network interface.
    private static let maximumNamedCandidates = 16

    // MARK: Remote candidates

    @MediaActor func add(_ candidate: ICECandidate) async {
        guard !candidate.isEndOfCandidates, closing == nil,
            CandidateFilter.isAcceptable(candidate.candidate)
        else { return }
        guard remote != nil else {
            if earlyRemoteCandidates.count < Self.maximumEarlyCandidates {
                earlyRemoteCandidates.append(candidate)
            }
            return
        }
        addNow(candidate)
    }

    /// Negotiates the interval of connectivity checks; does nothing in a connected session, which sends only
    /// a few checks.
    func paceChecks(with remote: SessionDescription) {
        guard !isConnected else { return }
        bin.pace(checks: ICEPacing.shared.agree(with: remote, for: self))
    }

    func addEarlyCandidates() {
        for candidate in earlyRemoteCandidates { addNow(candidate) }
        earlyRemoteCandidates = []
    }

    /// Adds the candidates in the peer's description, which were removed before it was passed to webrtcbin.
    ///
    /// If a BUNDLE group gives all sections the transport of the section `tagged`, the candidates of the others are
    /// ignored.
    func addCandidates(of description: String, tagged: Int?) {
        var index = -1
        for line in ReadableDescription.lines(of: description) {
            if line.bytes(after: "m=") != nil { index += 1 }
            guard index >= 0, line.bytes(after: "a=candidate:") != nil else { continue }
            let candidate = ICECandidate(candidate: String(line.dropFirst(2)), sdpMLineIndex: index)
            guard CandidateFilter.isAcceptable(candidate.candidate),
                tagged == nil || section(of: candidate) == tagged
            else { continue }
            addNow(candidate)
        }
    }

    private func addNow(_ candidate: ICECandidate) {
        guard let index = section(of: candidate), index >= 0,
            remoteCandidates.count < Self.maximumRemoteCandidates,
            let address = CandidateFilter.transportAddress(of: candidate.candidate),
            remoteCandidates.insert("\(isBundled ? 0 : index) \(address)").inserted
        else { return }
        if CandidateFilter.isNamed(candidate.candidate) {
            // webrtcbin resolves the name. If that fails, the peer's connectivity checks reveal its address.
            guard namedCandidates < Self.maximumNamedCandidates else { return }
            namedCandidates += 1
        }
        bin.addCandidate(candidate.candidate, mLineIndex: index)
    }

    /// Returns the index in `remote` of the section that a candidate belongs to; nil if there is none.
    private func section(of candidate: ICECandidate) -> Int? {
        if let theirOffer {
            return theirOffer.index(ofCandidateFor: candidate.sdpMid, line: candidate.sdpMLineIndex)
        }
        return candidate.sdpMid.flatMap { remote?.index(ofMid: $0) } ?? candidate.sdpMLineIndex
    }

    // MARK: Local candidates

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
        eventContinuation.yield(
            .localCandidate(
                ICECandidate(
                    candidate: text,
                    sdpMid: description.mid(at: candidate.mLineIndex),
                    sdpMLineIndex: theirOffer?.wholeIndex(of: candidate.mLineIndex) ?? candidate.mLineIndex,
                    usernameFragment: description.iceUfrag
                )
            )
        )
    }
}
