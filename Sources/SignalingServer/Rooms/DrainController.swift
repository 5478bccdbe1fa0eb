internal import NIOCore

/// The time in which calls may end before the server goes.
struct DrainController {
    let deadline: NIODeadline
    /// Succeeds when the time is over, or everybody has left before.
    let promise: EventLoopPromise<Void>

    /// The seconds that are left, at least one.
    var seconds: Int {
        let left = (deadline - .now()).nanoseconds
        return max(1, Int((Double(left) / 1e9).rounded(.up)))
    }
}
