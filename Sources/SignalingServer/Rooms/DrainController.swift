internal import NIOCore

/// The period in which calls may end before the server stops.
struct DrainController {
    let deadline: NIODeadline
    /// Succeeds when the period is over, or when all members have left before.
    let promise: EventLoopPromise<Void>

    /// The remaining seconds, at least one.
    var seconds: Int {
        let left = (deadline - .now()).nanoseconds
        return max(1, Int((Double(left) / 1e9).rounded(.up)))
    }
}
