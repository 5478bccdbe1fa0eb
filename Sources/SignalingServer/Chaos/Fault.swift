internal import HTTPFront

/// A kind of injected fault.
enum Fault: Int, TallyKind {
    /// An event is dropped.
    case drop
    /// An event is sent twice.
    case duplicate
    /// An event is delayed, and later events for the same client wait behind it.
    case delay
    /// An event is overtaken by the next one.
    case reorder
    /// The first argument of an event is corrupted, replaced or added; the packet remains valid.
    case garble
    /// A client's socket is closed.
    case close
    /// A new member does not receive the list of the room's members.
    case silence

    static let labelName = "deed"
    var label: String { "\(self)" }
}
