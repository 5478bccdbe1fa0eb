/// What becomes of one event.
struct FaultOutcome: Sendable {
    /// Whose socket is closed.
    enum Side: Hashable, Sendable {
        case sender, recipient
    }

    var isDropped = false
    var isGarbled = false
    /// Milliseconds.
    var delay: Int?
    var isOvertaken = false
    /// How many milliseconds behind the event another one like it comes.
    var copyDelay: Int?
    var closing: (side: Side, delay: Int)?

    /// What is drawn does not depend on the chances: with greater ones more happens, and the same besides.
    init(
        _ faults: FaultProbabilities,
        of event: ChaosEvent,
        delay range: ClosedRange<Int>,
        _ dice: inout FaultRandom
    ) {
        isDropped = dice.falls(faults.drop)
        isGarbled = dice.falls(faults.garble)
        let (isDelayed, delay) = (dice.falls(faults.delay), dice.number(in: range))
        isOvertaken = dice.falls(faults.reorder)
        let (isDoubled, isDoubledAtOnce) = (dice.falls(faults.duplicate), dice.falls(0.5))
        let copyDelay = dice.number(in: range)
        let (isClosed, closesSender) = (dice.falls(faults.close), dice.falls(0.5))
        let closeDelay = dice.number(in: 0...200)
        self.delay = isDelayed ? delay : nil
        // Presence told again later would be told of what is long past.
        let isAtOnce = isDoubledAtOnce || ChaosEvent.presence.contains(event)
        self.copyDelay = isDoubled ? (isAtOnce ? 0 : copyDelay) : nil
        closing = isClosed ? (closesSender ? .sender : .recipient, closeDelay) : nil
    }
}
