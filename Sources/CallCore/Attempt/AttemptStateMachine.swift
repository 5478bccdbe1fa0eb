/// The state machine of one attempt to connect a call, which has exactly one peer connection.
///
/// It is a value without clock, thread or socket: `handle` processes an event and returns the effects to
/// perform. The events come from:
///
/// - the enclosing call: `start`, `stop`;
/// - the peer: `offerReceived`, `answerReceived`, `ringingReceived`, `restartReceived`, `candidateReceived`;
/// - the media session: `offerCreated`, `answerCreated`, `answerRefused`, `answerApplied` and `media`, which
///   has an effect only for `localCandidate`, `connected`, `stalled`, `addressLost`, `addressGained` and
///   `failed`;
/// - the clock: `deadlineReached`. A deadline is never cancelled; if it expires late, it has no effect.
///
/// Signaling messages may be lost, duplicated or late. A message that does not fit the state is ignored and
/// is never an error.
package struct AttemptStateMachine: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// The initial state, in which the caller waits for `start` and the callee for an offer.
        case idle
        /// The caller waits, at most for `connectTimeout`, for its media session to create the offer.
        case offering
        /// The caller waits for the answer: at most four seconds, or without a limit if `isBlind` is set.
        case awaitingAnswer
        /// The caller waits for a person at the callee to answer; the ring timeout of the call limits this
        /// wait.
        case ringing
        /// The callee waits, at most four seconds, for its media session to create the answer.
        case answering
        /// Both descriptions are known, and ICE and DTLS must connect within `connectTimeout`.
        case connecting
        /// ICE and DTLS are connected, so that media can flow.
        case connected
        /// The final state, which no event changes.
        case ended(AttemptEnd)
    }

    /// The maximum number of candidates stored for each side.
    ///
    /// The limit prevents a hostile peer from exhausting the memory or overloading the media session.
    package static let maximumCandidates = 256

    package let role: Role
    /// Whether the offer is sent into a room whose server does not report the participants.
    ///
    /// Such an offer has no deadline and is repeated until it is answered.
    package let isBlind: Bool
    /// The name of the only participant that may answer the offer, or nil if every participant may.
    package let addressee: String?
    package private(set) var state = State.idle
    /// The `ice-ufrag` of this attempt's offer.
    package private(set) var offerID: String?

    private var offerVersion: UInt64 = 0
    private var offer: SignaledDescription?
    private var offerRepeats = 0
    private static let maximumRepeats = 3
    private var answer: SignaledDescription?
    private var isRenegotiating = false
    /// The newest offer that arrived during a renegotiation; it replaces earlier ones, so that they do not accumulate.
    private var nextOffer: SessionOffer?
    /// The number of offers that were accepted for renegotiation in this attempt.
    private var renegotiations = 0
    /// The maximum number of renegotiations, because webrtcbin may store parts of each; later offers are ignored.
    static let maximumRenegotiations = 1000
    private var isAnswerApplied = false
    /// The local candidates that wait until our description has been sent, because they must not precede it.
    ///
    /// Candidates sent while the answer is awaited are stored as well, so that a repeated offer can include
    /// them.
    var local: [ICECandidate] = []
    /// The peer's candidates: stored until the remote description is set, and retained afterwards so that each
    /// candidate is added only once.
    var remoteCandidates: [ICECandidate] = []
    /// The `ice-ufrag` values of the remote description; candidates of other attempts have different ones.
    var remoteUfrags: Set<String> = []

    package init(role: Role, isBlind: Bool = false, addressee: String? = nil) {
        self.role = role
        self.isBlind = isBlind
        self.addressee = addressee
    }

    /// Returns the name of the participant to which a message of this attempt is sent, or nil for all participants.
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
            return send(offer: SignaledDescription(sdp))
        case (.awaitingAnswer, .ringingReceived(let id)) where isMine(id):
            state = .ringing
            return []
        case (.awaitingAnswer, .answerReceived(let answer, let id)) where isMine(id),
            (.ringing, .answerReceived(let answer, let id)) where isMine(id):
            return accept(answer: answer)
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
            return send(answer: SignaledDescription(sdp))
        case (.answering, .answerRefused(let failure)):
            return end(.failed(failure))
        case (.connecting, .offerReceived(let offer)) where role == .callee,
            (.connected, .offerReceived(let offer)) where role == .callee:
            return repeatAnswer(to: offer)
        case (.connecting, .answerCreated(let sdp)), (.connected, .answerCreated(let sdp)):
            return isRenegotiating ? renegotiated(answer: SignaledDescription(sdp)) : []
        case (.connecting, .answerRefused), (.connected, .answerRefused):
            return continueRenegotiating()

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

        // Late or duplicate messages, deadlines of earlier states, and media events without effect.
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

    /// Whether a message from the peer refers to this attempt's offer.
    ///
    /// Programs other than callrunner send no ID; their messages refer to the current offer.
    private func isMine(_ id: String?) -> Bool {
        id == nil || id == offerID
    }

    /// Whether a message contains the ID of our own offer; only callrunner peers send this ID.
    private func isNamed(_ id: String?) -> Bool {
        role == .caller && id != nil && id == offerID
    }

    private mutating func end(_ end: AttemptEnd) -> [CallEffect] {
        state = .ended(end)
        local = []
        remoteCandidates = []
        nextOffer = nil
        return []
    }
}

// MARK: - Descriptions

extension AttemptStateMachine {
    private mutating func send(offer: SignaledDescription) -> [CallEffect] {
        do { offerID = try SessionOffer(offer).id } catch { return end(.failed(error)) }
        state = .awaitingAnswer
        self.offer = offer
        return sendOffer() + [.startDeadline(isBlind ? .repetition(0) : .description)]
    }

    /// Sends the offer and its candidates, for the first time or again if they may have been lost.
    ///
    /// A peer that already has the offer sends its answer again.
    private func sendOffer() -> [CallEffect] {
        guard let offer else { return [] }
        return [.send(.offer(offer))] + local.map { .send(.candidate($0)) }
    }

    private mutating func accept(answer: SignaledDescription) -> [CallEffect] {
        do {
            let description = try answer.description()
            _ = try description.certificateFingerprints()
            guard !description.carriesNothing else { return end(.failed(Self.nothingFlows)) }
            remoteUfrags = description.iceUfrags
        } catch {
            return end(.failed(.badDescription("the answer: \(error)")))
        }
        state = .connecting
        (offer, local) = (nil, [])
        return [.apply(answer: answer)] + releaseRemote() + [.startDeadline(.connection)]
    }

    private mutating func accept(_ offer: SessionOffer) -> [CallEffect] {
        state = .answering
        offerID = offer.id
        offerVersion = offer.version
        remoteUfrags = offer.ufrags
        return [.openMedia, .createAnswer(to: offer), .startDeadline(.description)]
    }

    private static let nothingFlows = CallMediaFailure.nothingToCarry(
        "no media would flow in either direction: neither side sends what the other receives"
    )

    private mutating func send(answer: SignaledDescription) -> [CallEffect] {
        state = .connecting
        self.answer = answer
        if (try? answer.description())?.carriesNothing == true {
            // The answer is sent nevertheless, because the caller detects the same problem in it.
            return [
                .send(.answer(answer, offerID: offerID)), .fail(Self.nothingFlows),
                .startDeadline(.connection),
            ]
        }
        return [.send(.answer(answer, offerID: offerID))] + releaseLocal() + releaseRemote()
            + [.startDeadline(.connection)]
    }

    private mutating func repeatAnswer(to offer: SessionOffer) -> [CallEffect] {
        guard offer.id == offerID else { return [] }
        if offer.version > offerVersion {
            guard renegotiations < Self.maximumRenegotiations else { return [] }
            renegotiations += 1
            offerVersion = offer.version
            nextOffer = offer
            return isRenegotiating ? [] : continueRenegotiating()
        }
        guard let answer, offer.version == offerVersion, !isRenegotiating else { return [] }
        return [.send(.answer(answer, offerID: offerID))]
    }

    /// Answers the newest waiting offer, if there is one; otherwise ends the renegotiation.
    private mutating func continueRenegotiating() -> [CallEffect] {
        guard let offer = nextOffer else {
            isRenegotiating = false
            return []
        }
        // The previous answer does not apply to this offer, which may be refused.
        (isRenegotiating, nextOffer, answer) = (true, nil, nil)
        return [.createAnswer(to: offer)]
    }

    private mutating func renegotiated(answer: SignaledDescription) -> [CallEffect] {
        self.answer = answer
        let effects = continueRenegotiating()
        // The peer no longer waits for an answer to an offer that it has replaced.
        guard effects.isEmpty else { return effects }
        return [.send(.answer(answer, offerID: offerID))]
    }
}

// MARK: - Candidates

extension AttemptStateMachine {
    mutating func handle(local candidate: ICECandidate) -> [CallEffect] {
        // The signaling protocol has no end-of-candidates message, and some other programs log an error for
        // an empty candidate.
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
        // A candidate before our offer belongs to an older offer; after the end, candidates are useless.
        case .idle, .offering, .ended:
            return []
        }
    }

    private func isOfThisAttempt(_ candidate: ICECandidate) -> Bool {
        guard let ufrag = candidate.usernameFragment else { return true }
        return remoteUfrags.isEmpty || remoteUfrags.contains(ufrag)
    }

    /// Appends a candidate unless it is a duplicate or `maximumCandidates` is reached.
    ///
    /// - Returns: whether the candidate was appended.
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
