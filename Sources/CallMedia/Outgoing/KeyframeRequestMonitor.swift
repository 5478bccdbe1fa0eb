/// Whether a peer keeps asking for keyframes that a file has too few of.
struct KeyframeRequestMonitor: Hashable, Sendable {
    /// Seconds in a row with a wish in each: a file that has a keyframe each second answers before.
    private static let patience = 5

    private var seen = 0
    private var waiting = 0

    /// Takes the wishes so far, once a second.
    mutating func update(requests: Int, frames: Int) -> Bool {
        waiting = requests > seen && frames > 0 ? waiting + 1 : 0
        seen = requests
        return waiting >= Self.patience
    }
}
