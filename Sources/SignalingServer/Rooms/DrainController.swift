internal import NIOCore

/// The drain period, in which calls may end before the server stops.
struct DrainController {
    let deadline: NIODeadline
    /// Succeeds when the period is over, or earlier if all members have left.
    let promise: EventLoopPromise<Void>

    /// The remaining seconds, rounded up, at least 1.
    var seconds: Int {
        let left = (deadline - .now()).nanoseconds
        return max(1, Int((Double(left) / 1e9).rounded(.up)))
    }
}
