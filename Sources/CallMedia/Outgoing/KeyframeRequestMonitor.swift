/// Detects that a peer keeps requesting keyframes because the file being sent contains too few.
struct KeyframeRequestMonitor: Hashable, Sendable {
    /// The number of consecutive seconds with keyframe requests after which a file counts as having too few
    /// keyframes.
    ///
    /// If a file contains a keyframe each second, the peer stops requesting them earlier.
    private static let maximumAttempts = 5

    private var seen = 0
    private var waiting = 0

    /// Updates the monitor with the total numbers of requests and of frames sent, and returns whether the
    /// file has too few keyframes; called once a second.
    mutating func update(requests: Int, frames: Int) -> Bool {
        waiting = requests > seen && frames > 0 ? waiting + 1 : 0
        seen = requests
        return waiting >= Self.maximumAttempts
    }
}
