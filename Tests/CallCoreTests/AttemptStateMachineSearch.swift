import Basics
import CallCore

/// A transition of the state machine: the state before, an event, its effects, and the state after.
struct CallStep: Hashable {
    var before: AttemptStateMachine
    var event: CallEvent
    var effects: [CallEffect]
    var after: AttemptStateMachine
}

/// An exhaustive search for all transitions that any sequence of events can cause.
enum AttemptStateMachineSearch {
    static let answer = "v=0\na=ice-ufrag:peer\n"
    static let ownOffer = "v=0\na=ice-ufrag:mine\n"

    static func offer(_ ufrag: String, version: Int) throws -> SessionOffer {
        try SessionOffer(parsing: "v=0\no=- 1 \(version) IN IP4 0\na=ice-ufrag:\(ufrag)\n")
    }

    static let candidates = [
        ICECandidate(candidate: "candidate:1", sdpMid: "0"),
        ICECandidate(candidate: "candidate:2", sdpMid: "0", usernameFragment: "peer"),
        ICECandidate(candidate: "candidate:3", sdpMid: "0", usernameFragment: "stranger"),
    ]

    static let deadlines: [CallDeadline] =
        [.preparation, .description, .connection]
        + (0...CallDeadline.lastRepetition).map { .repetition($0) }

    static func alphabet() throws -> [CallEvent] {
        try [
            .start, .stop,
            .offerReceived(offer("peer", version: 1)), .offerReceived(offer("peer", version: 2)),
            .offerReceived(offer("other", version: 1)),
            .answerReceived(.init(answer), offerID: nil), .answerReceived(.init(answer), offerID: "mine"),
            .answerReceived(.init(answer), offerID: "older"), .answerReceived(.init("garbage"), offerID: nil),
            .ringingReceived(offerID: nil), .ringingReceived(offerID: "older"),
            .restartReceived(offerID: nil), .restartReceived(offerID: "mine"),
            .restartReceived(offerID: "older"),
            .offerCreated(ownOffer), .offerCreated("garbage"), .answerCreated(answer),
            .answerRefused(.badDescription("")), .answerApplied,
            .media(.localCandidate(candidates[0])), .media(.localCandidate(.init(candidate: ""))),
            .media(.iceConnected), .media(.connected), .media(.stalled),
            .media(.addressLost("192.0.2.1")), .media(.addressGained("192.0.2.2")), .media(.relaysFailed("")),
            .media(.failed(.iceFailed(detail: ""))), .media(.firstFrame(.video)),
            .media(.firstPacket(.audio)),
            .media(.statistics(CallStatistics())),
            .media(.iceSelected(local: "host", remote: "host", transport: "udp")),
        ] + candidates.map { .candidateReceived($0) } + deadlines.map { .deadlineReached($0) }
    }

    static func everyStep(from start: AttemptStateMachine) throws -> [CallStep] {
        let alphabet = try alphabet()
        var seen: Set<AttemptStateMachine> = [start]
        var frontier = [start]
        var steps: [CallStep] = []
        while let machine = frontier.popLast() {
            for event in alphabet {
                var after = machine
                let effects = after.handle(event)
                steps.append(CallStep(before: machine, event: event, effects: effects, after: after))
                if seen.insert(after).inserted { frontier.append(after) }
            }
        }
        return steps
    }
}

extension CallEffect {
    var isDescription: Bool {
        switch self {
        case .send(.offer), .send(.answer): true
        case .openMedia, .createOffer, .createAnswer, .apply, .add, .send, .fail, .startDeadline: false
        }
    }

    var sentCandidate: ICECandidate? {
        if case .send(.candidate(let candidate)) = self { candidate } else { nil }
    }

    var addedCandidate: ICECandidate? {
        if case .add(let candidate) = self { candidate } else { nil }
    }
}
