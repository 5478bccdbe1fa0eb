/// One attempt at a call: one peer connection from its first event to its end.
///
/// A value without clock, thread or socket: `handle` takes an event and returns the effects to perform. Its
/// inputs by origin:
///
/// - the enclosing call: `start`, `stop`;
/// - the peer: `offerReceived`, `answerReceived`, `ringingReceived`, `restartReceived`, `candidateReceived`;
/// - the media session: `offerCreated`, `answerCreated`, `answerRefused`, `answerApplied` and `media`, of
///   which only candidates, `connected`, `stalled`, `addressLost`, `addressGained` and `failed` matter here;
/// - the clock: `deadlineReached`; deadlines are never cancelled, and a late one changes nothing.
///
/// Signals may be lost, duplicated or late. A signal that does not fit the state is dropped and is never an
/// error.
package struct AttemptStateMachine: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// The initial state: the caller waits for `start`, the callee for the offer.
        case idle
        /// The caller's wait for the media session to create the offer, fifteen seconds at most.
        case offering
        /// The caller's wait for the answer to its offer: four seconds at most, unless the offer is blind.
        case awaitingAnswer
        /// The caller's wait for the answer while a person at the callee is asked, for as long as the call
        /// rings.
        case ringing
        /// The callee's wait for the media session to create the answer, four seconds at most.
        case answering
        /// The wait for ICE and DTLS once both descriptions are known, fifteen seconds at most.
        case connecting
        /// The state in which media flows.
        case connected
        /// The final state, which no event changes.
        case ended(AttemptEnd)
    }

    /// The maximum number of candidates kept of either side.
    ///
    /// A hostile peer can thus fill neither the memory nor the media session.
    package static let maximumCandidates = 256

    package let role: Role
    /// Whether the offer goes into a room whose server does not report the participants.
    ///
    /// Such an offer has no deadline and is repeated until it is answered.
    package let isBlind: Bool
    /// The name of the peer that the offer is for, so that no other participant answers it; nil for
    /// everybody.
    package let addressee: String?
    package private(set) var state = State.idle
    /// The `ice-ufrag` of this attempt's offer.
    package private(set) var offerID: String?

    private var offerVersion: UInt64 = 0
    private var offer: String?
    private var offerRepeats = 0
    private static let maximumRepeats = 3
    private var answer: String?
    private var isRenegotiating = false
    private var isAnswerApplied = false
    /// The local candidates held back until our description is sent, as none may arrive before it.
    ///
    /// Candidates sent while the answer is awaited are also kept, so that a repeated offer can carry them
    /// again.
    var local: [ICECandidate] = []
    /// The peer's candidates: held until the remote description is set, then remembered to add each only
    /// once.
    var remoteCandidates: [ICECandidate] = []
    /// The ufrags of the remote description; candidates of other attempts have different ones.
    var remoteUfrags: Set<String> = []

    package init(role: Role, isBlind: Bool = false, addressee: String? = nil) {
        self.role = role
        self.isBlind = isBlind
        self.addressee = addressee
    }

    /// Determines the addressee of a message of this attempt; nil means everybody in the room.
    func addressee(of message: SignalMessage) -> String? {
        if case .offer = message { addressee } else { nil }
    }

    package var end: AttemptEnd? {
        if case .ended(let end) = state { end } else { nil }
    }

    package mutating func handle(_ event: CallEvent) -> [CallEffect] {
        switch (state, event) {
        case (.ended, _):
            return []
        case (_, .stop):
            return end(.stopped)
        case (_, .media(.failed(let failure))):
            return end(.failed(failure))
        case (_, .media(.addressLost(let address))):
            return end(.addressLost(address))
        case (_, .media(.addressGained(let address))) where state != .connected:
            return end(.addressGained(address))

        case (.idle, .start) where role == .caller:
            state = .offering
            return [.openMedia, .createOffer, .startDeadline(.preparation)]
        case (.offering, .offerCreated(let sdp)):
            return send(offer: sdp)
        case (.awaitingAnswer, .ringingReceived(let id)) where isMine(id):
            state = .ringing
            return []
        case (.awaitingAnswer, .answerReceived(let sdp, let id)) where isMine(id),
            (.ringing, .answerReceived(let sdp, let id)) where isMine(id):
            return accept(answer: sdp)
        case (.awaitingAnswer, .restartReceived(let id)) where isNamed(id),
            (.ringing, .restartReceived(let id)) where isNamed(id):
            return end(.givenUp)
        case (.connecting, .restartReceived(let id)) where isNamed(id),
            (.connected, .restartReceived(let id)) where isNamed(id):
            return end(.peerLost)
        case (.awaitingAnswer, .restartReceived(_?)) where offerRepeats < Self.maximumRepeats:
            offerRepeats += 1
            return sendOffer()
        case (.connecting, .answerApplied):
            isAnswerApplied = true
            return []

        case (.idle, .offerReceived(let offer)) where role == .callee:
            return accept(offer)
        case (.answering, .answerCreated(let sdp)):
            return send(answer: sdp)
        case (.answering, .answerRefused(let failure)):
            return end(.failed(failure))
        case (.connecting, .offerReceived(let offer)) where role == .callee,
            (.connected, .offerReceived(let offer)) where role == .callee:
            return repeatAnswer(to: offer)
        case (.connecting, .answerCreated(let sdp)), (.connected, .answerCreated(let sdp)):
            return isRenegotiating ? renegotiated(answer: sdp) : []
        case (.connecting, .answerRefused), (.connected, .answerRefused):
            isRenegotiating = false
            return []

        case (.connecting, .media(.connected)):
            state = .connected
            return []
        case (.connected, .media(.stalled)):
            return end(.stalled)

        case (.offering, .deadlineReached(.preparation)):
            return end(.timedOut(.preparation))
        case (.awaitingAnswer, .deadlineReached(.description)) where !isBlind:
            return end(.unanswered)
        case (.awaitingAnswer, .deadlineReached(.repetition(let number))) where isBlind:
            return sendOffer() + [.startDeadline(.repetition(min(number + 1, CallDeadline.lastRepetition)))]
        case (.answering, .deadlineReached(.description)):
            return end(.timedOut(.description))
        case (.connecting, .deadlineReached(.description)):
            return role == .caller && !isAnswerApplied ? end(.timedOut(.description)) : []
        case (.connecting, .deadlineReached(.connection)):
            return end(.timedOut(.connection))

        case (_, .media(.localCandidate(let candidate))):
            return handle(local: candidate)
        case (_, .candidateReceived(let candidate)):
            return handle(remote: candidate)

        // Late or duplicate signals, deadlines of earlier states, and media events that change nothing here.
        case (_, .start), (_, .offerReceived), (_, .answerReceived), (_, .ringingReceived),
            (_, .restartReceived),
            (_, .offerCreated), (_, .answerCreated), (_, .answerRefused), (_, .answerApplied),
            (_, .deadlineReached(.preparation)), (_, .deadlineReached(.description)),
            (_, .deadlineReached(.connection)), (_, .deadlineReached(.repetition)),
            (_, .media(.iceConnected)), (_, .media(.iceSelected)), (_, .media(.connected)),
            (_, .media(.firstPacket)), (_, .media(.firstFrame)), (_, .media(.statistics)),
            (_, .media(.stalled)), (_, .media(.addressGained)), (_, .media(.sourceEnded)),
            (_, .media(.relaysFailed)):
            return []
        }
    }

    /// Whether a signal refers to this attempt's offer; foreign peers send no ID and mean the current offer.
    private func isMine(_ id: String?) -> Bool {
        id == nil || id == offerID
    }

    /// Whether a message names our own offer explicitly, as only callrunner peers do.
    private func isNamed(_ id: String?) -> Bool {
        role == .caller && id != nil && id == offerID
    }

    private mutating func end(_ end: AttemptEnd) -> [CallEffect] {
        state = .ended(end)
        local = []
        remoteCandidates = []
        return []
    }
}

// MARK: - Descriptions

extension AttemptStateMachine {
    private mutating func send(offer sdp: String) -> [CallEffect] {
        do { offerID = try SessionOffer(parsing: sdp).id } catch { return end(.failed(error)) }
        state = .awaitingAnswer
        offer = sdp
        return sendOffer() + [.startDeadline(isBlind ? .repetition(0) : .description)]
    }

    /// Sends the offer with its candidates, also to repeat an offer that may have been lost.
    ///
    /// A peer that already has the offer repeats its answer.
    private func sendOffer() -> [CallEffect] {
        guard let offer else { return [] }
        return [.send(.offer(sdp: offer))] + local.map { .send(.candidate($0)) }
    }

    private mutating func accept(answer sdp: String) -> [CallEffect] {
        do {
            let description = try SessionDescription(parsing: sdp)
            _ = try description.certificateFingerprints()
            guard !description.carriesNothing else { return end(.failed(Self.nothingFlows)) }
            remoteUfrags = description.iceUfrags
        } catch {
            return end(.failed(.badDescription("the answer: \(error)")))
        }
        state = .connecting
        (offer, local) = (nil, [])
        return [.apply(answer: sdp)] + releaseRemote() + [.startDeadline(.connection)]
    }

    private mutating func accept(_ offer: SessionOffer) -> [CallEffect] {
        state = .answering
        offerID = offer.id
        offerVersion = offer.version
        remoteUfrags = offer.ufrags
        return [.openMedia, .createAnswer(to: offer.sdp), .startDeadline(.description)]
    }

    private static let nothingFlows = MediaFailure.nothingToCarry(
        "no media would flow in either direction: neither side sends what the other receives"
    )

    private mutating func send(answer sdp: String) -> [CallEffect] {
        state = .connecting
        answer = sdp
        if (try? SessionDescription(parsing: sdp))?.carriesNothing == true {
            // The caller finds the same problem when it reads the answer.
            return [
                .send(.answer(sdp: sdp, offerID: offerID)), .fail(Self.nothingFlows),
                .startDeadline(.connection),
            ]
        }
        return [.send(.answer(sdp: sdp, offerID: offerID))] + releaseLocal() + releaseRemote()
            + [.startDeadline(.connection)]
    }

    private mutating func repeatAnswer(to offer: SessionOffer) -> [CallEffect] {
        guard offer.id == offerID else { return [] }
        if offer.version > offerVersion {
            offerVersion = offer.version
            isRenegotiating = true
            return [.createAnswer(to: offer.sdp)]
        }
        guard let answer, offer.version == offerVersion, !isRenegotiating else { return [] }
        return [.send(.answer(sdp: answer, offerID: offerID))]
    }

    private mutating func renegotiated(answer sdp: String) -> [CallEffect] {
        isRenegotiating = false
        answer = sdp
        return [.send(.answer(sdp: sdp, offerID: offerID))]
    }
}

// MARK: - Candidates

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

    private mutating func releaseLocal() -> [CallEffect] {
        defer { local = [] }
        return local.map { .send(.candidate($0)) }
    }

    private mutating func releaseRemote() -> [CallEffect] {
        remoteCandidates = remoteCandidates.filter(isOfThisAttempt)
        return remoteCandidates.map { .add($0) }
    }
}
