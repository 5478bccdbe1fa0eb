// The handling of local and remote candidates.

extension AttemptStateMachine {
    mutating func handle(local candidate: ICECandidate) -> [CallEffect] {
        // The protocol has no end-of-candidates message, and foreign clients log an error at an empty
        // candidate.
        guard !candidate.isEndOfCandidates else { return [] }
        switch state {
        case .offering, .answering:
            Self.keep(candidate, in: &local)
            return []
        case .awaitingAnswer:
            Self.keep(candidate, in: &local)
            return [.send(.candidate(candidate))]
        case .ringing, .connecting, .connected:
            return [.send(.candidate(candidate))]
        case .idle, .ended:
            return []
        }
    }

    mutating func handle(remote candidate: ICECandidate) -> [CallEffect] {
        switch state {
        case .awaitingAnswer, .ringing, .answering:
            Self.keep(candidate, in: &remoteCandidates)
            return []
        case .connecting, .connected:
            guard isOfThisAttempt(candidate) else { return [] }
            return Self.keep(candidate, in: &remoteCandidates) ? [.add(candidate)] : []
        // The peer has not seen our offer, so its candidate belongs to an older one.
        case .idle, .offering, .ended:
            return []
        }
    }

    private func isOfThisAttempt(_ candidate: ICECandidate) -> Bool {
        guard let ufrag = candidate.usernameFragment else { return true }
        return remoteUfrags.isEmpty || remoteUfrags.contains(ufrag)
    }

    /// Keeps a candidate unless it is a duplicate or the limit is reached.
    ///
    /// - Returns: whether the candidate was kept.
    @discardableResult
    private static func keep(_ candidate: ICECandidate, in kept: inout [ICECandidate]) -> Bool {
        guard kept.count < maximumCandidates, !kept.contains(candidate) else { return false }
        kept.append(candidate)
        return true
    }

    mutating func releaseLocal() -> [CallEffect] {
        defer { local = [] }
        return local.map { .send(.candidate($0)) }
    }

    mutating func releaseRemote() -> [CallEffect] {
        remoteCandidates = remoteCandidates.filter(isOfThisAttempt)
        return remoteCandidates.map { .add($0) }
    }
}
