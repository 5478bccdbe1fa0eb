/// The relayed events that are counted under their names; clients may use any others.
enum RelayEvent: Int, TallyKind {
    case offer, answer, candidate, ringing, hangup, other

    static let labelName = "event"
    var label: String { "\(self)" }

    init(_ name: String) { self = Self.named[name] ?? .other }

    /// Takes the name as it lies in a packet, without making a string of it.
    init(_ name: UnsafeRawBufferPointer) {
        self =
            switch name.count {
            case 5 where name.elementsEqual("offer".utf8): .offer
            case 6 where name.elementsEqual("answer".utf8): .answer
            case 9 where name.elementsEqual("candidate".utf8): .candidate
            case 7 where name.elementsEqual("ringing".utf8): .ringing
            case 6 where name.elementsEqual("hangup".utf8): .hangup
            default: .other
            }
    }

    private static let named: [String: RelayEvent] = [
        "offer": .offer, "answer": .answer, "candidate": .candidate, "ringing": .ringing,
        "hangup": .hangup,
    ]
}
