/// What a server that misbehaves does wrong.
enum Fault: Int, TallyKind {
    /// An event goes nowhere.
    case drop
    /// An event comes a second time.
    case duplicate
    /// An event comes late, and what follows it to the same client waits behind it.
    case delay
    /// An event is overtaken by the one that follows it.
    case reorder
    /// An event comes with content that makes no sense.
    case garble
    /// A client's socket is closed.
    case close
    /// A newcomer is not told who is there.
    case silence

    static let labelName = "deed"
    var label: String { "\(self)" }
}
