/// The exit status of the process.
package enum RunStatus: Int32, Hashable, Sendable, CaseIterable {
    /// Success, for example after a call that either side ended.
    case success = 0
    /// A time limit expired (no peer, no answer or no media), or the peer declined, hung up or left before
    /// media flowed.
    case timedOut = 2
    case mediaFailed = 3
    case signalingFailed = 4
    case recordingFailed = 5
    case expectationFailed = 6
    case usage = 64
    case interrupted = 130
    case terminated = 143
}
