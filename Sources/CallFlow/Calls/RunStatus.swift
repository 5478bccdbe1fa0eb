/// What a process tells the shell.
package enum RunStatus: Int32, Hashable, Sendable, CaseIterable {
    /// A call was held and ended, by whomever.
    case success = 0
    /// A deadline ran out: no peer, no answer, no media.
    case timedOut = 2
    case mediaFailed = 3
    case signalingFailed = 4
    case recordingFailed = 5
    case expectationFailed = 6
    case usage = 64
    case interrupted = 130
    case terminated = 143
}
