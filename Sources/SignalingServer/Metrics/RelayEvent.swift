internal import Basics
internal import HTTPFront
internal import SocketIO

/// The relayed events that the metrics count by name; events with any other name are counted as `other`.
enum RelayEvent: Int, TallyKind {
    case offer, answer, candidate, ringing, hangup, other

    static let labelName = "event"
    var label: String { "\(self)" }

    init(_ name: String) { self = Self.named[String(name.protocolWord)] ?? .other }

    /// Compares the event's name in place, without creating a string.
    init(_ event: EventScan, in text: Span<UInt8>) {
        self =
            if event.matches("candidate", in: text) {
                .candidate
            } else if event.matches("offer", in: text) {
                .offer
            } else if event.matches("answer", in: text) {
                .answer
            } else if event.matches("ringing", in: text) {
                .ringing
            } else if event.matches("hangup", in: text) {
                .hangup
            } else {
                .other
            }
    }

    private static let named: [String: RelayEvent] = [
        "offer": .offer, "answer": .answer, "candidate": .candidate, "ringing": .ringing,
        "hangup": .hangup,
    ]
}
