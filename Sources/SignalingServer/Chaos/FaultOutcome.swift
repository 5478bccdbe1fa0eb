/// The faults chosen for one event.
struct FaultOutcome: Sendable {
    /// The side whose socket is closed.
    enum Side: Hashable, Sendable {
        case sender, recipient
    }

    var isDropped = false
    var isGarbled = false
    /// The delay in milliseconds.
    var delay: Int?
    var isOvertaken = false
    /// The delay of a duplicate after the event, in milliseconds.
    var copyDelay: Int?
    var closing: (side: Side, delay: Int)?

    /// Draws the faults of an event.
    ///
    /// The numbers drawn do not depend on the probabilities: with higher ones the same faults happen, and
    /// more.
    init(
        _ faults: FaultProbabilities,
        of event: ChaosEvent,
        delay range: ClosedRange<Int>,
        _ random: inout FaultRandom
    ) {
        isDropped = random.falls(faults.drop)
        isGarbled = random.falls(faults.garble)
        let (isDelayed, delay) = (random.falls(faults.delay), random.number(in: range))
        isOvertaken = random.falls(faults.reorder)
        let (isDoubled, isDoubledAtOnce) = (random.falls(faults.duplicate), random.falls(0.5))
        let copyDelay = random.number(in: range)
        let (isClosed, closesSender) = (random.falls(faults.close), random.falls(0.5))
        let closeDelay = random.number(in: 0...200)
        self.delay = isDelayed ? delay : nil
        // A presence event repeated later would be outdated.
        let isAtOnce = isDoubledAtOnce || ChaosEvent.presence.contains(event)
        self.copyDelay = isDoubled ? (isAtOnce ? 0 : copyDelay) : nil
        closing = isClosed ? (closesSender ? .sender : .recipient, closeDelay) : nil
    }
}
