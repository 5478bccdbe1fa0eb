@testable internal import CallCore
@testable internal import CallMedia
@testable internal import CallSignaling
internal import Basics

/// The fuzz target for the signaling messages of a peer: it decodes an event, and adds candidates to an
/// attempt.
///
/// The first byte selects the event. A decoded message must be the same after it is encoded and decoded
/// again.
package enum CandidatesTarget {
    private static let names = [
        "candidate", "candidate", "answer", "ringing", "hangup", "restart", "offer",
        "media_state",
    ]

    package static func take(_ input: UnsafeRawBufferPointer) {
        guard let selector = input.first, let payload = try? JSON(parsing: Array(input.dropFirst()))
        else {
            return
        }
        let name = names[Int(selector) % names.count]
        guard let message = SignalMessage(name: name, payload: payload) else { return }
        check(message)
        if case .candidate(let candidate) = message { take(candidate) }
    }

    private static func check(_ message: SignalMessage) {
        guard let (name, payload) = message.wire(from: "Ann") else { return }
        guard let text = try? JSON(parsing: payload.serialized()) else {
            preconditionFailure("what is sent is no JSON")
        }
        precondition(
            SignalMessage(name: name, payload: text) == message,
            "\(payload) is read as another message"
        )
    }

    private static func take(_ candidate: ICECandidate) {
        precondition(!candidate.candidate.contains(where: \.isNewline), "a candidate of several lines")
        precondition((0...65_535).contains(candidate.sdpMLineIndex ?? 0))
        let isTaken = CandidateFilter.isAcceptable(candidate.candidate)
        precondition(
            !isTaken || CandidateLine(candidate.candidate) != nil,
            "nobody knows where its address is"
        )
        var machine = AttemptStateMachine(role: .caller)
        _ = machine.handle(.start)
        _ = machine.handle(.offerCreated("v=0\r\no=- 1 1 IN IP4 0\r\na=ice-ufrag:us\r\n"))
        _ = machine.handle(.candidateReceived(candidate))
        let effects = machine.handle(.answerReceived(.init("v=0\r\na=ice-ufrag:peer\r\n"), offerID: nil))
        let isOurs = candidate.usernameFragment.map { $0 == "peer" } ?? true
        precondition(
            effects.contains(.add(candidate)) == isOurs,
            "a candidate of another attempt is added, or lost"
        )
        var facts = PathFacts.Candidates()
        facts.add(candidate.candidate)
        precondition(facts.count <= 1)
    }
}
