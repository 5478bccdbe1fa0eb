/// The faults chosen for one event.
struct FaultOutcome: Sendable {
    /// The client whose socket is closed: the event's sender or a recipient.
    enum Side: Hashable, Sendable {
        case sender, recipient
    }

    var isDropped = false
    var isGarbled = false
    /// The delay of the event in milliseconds; nil if it is not delayed.
    var delay: Int?
    var isOvertaken = false
    /// The time from the event to its duplicate in milliseconds; nil if there is no duplicate.
    var copyDelay: Int?
    var closing: (side: Side, delay: Int)?

    /// Draws the faults of an event.
    ///
    /// The random numbers do not depend on the probabilities: higher probabilities lead to the same faults
    /// and additional ones.
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
        // A presence event that is repeated later might be outdated.
        let isAtOnce = isDoubledAtOnce || ChaosEvent.presence.contains(event)
        self.copyDelay = isDoubled ? (isAtOnce ? 0 : copyDelay) : nil
        closing = isClosed ? (closesSender ? .sender : .recipient, closeDelay) : nil
    }
}
