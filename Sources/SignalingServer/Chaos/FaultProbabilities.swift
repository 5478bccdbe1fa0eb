/// The probability of each fault for one kind of event, 0…1.
struct FaultProbabilities: Hashable, Sendable {
    var drop = 0.0
    var duplicate = 0.0
    var delay = 0.0
    var reorder = 0.0
    var garble = 0.0
    /// The probability that the sender's or a recipient's socket is closed soon after the event.
    var close = 0.0
}
