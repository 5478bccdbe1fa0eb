internal import CallFlow
internal import UnixSignals

/// Who ends a run from outside.
enum Interruption: Equatable {
    /// SIGINT, SIGTERM; SIGHUP, where a terminal is closed.
    case interrupt, terminate, hangUp
    /// Whoever read standard output is gone.
    case readerLeft
    /// Standard output takes no more; the reason.
    case outputFailed(String)
    /// What the run was for cannot be any more.
    case pointless

    /// What the process then tells the shell; nil where the run's own end decides.
    var exit: Int32? {
        switch self {
        case .interrupt: RunStatus.interrupted.rawValue
        case .terminate: RunStatus.terminated.rawValue
        case .hangUp: 129
        case .outputFailed: RunStatus.recordingFailed.rawValue
        case .readerLeft, .pointless: nil
        }
    }

    /// The exit code where the reader of standard output has gone before there was a call: 128 + SIGPIPE, as a shell
    /// reports a process that the signal has ended.
    static let readerLeftEarly: Int32 = 141

    init?(_ signal: UnixSignal) {
        switch signal {
        case .sigint: self = .interrupt
        case .sigterm: self = .terminate
        case .sighup: self = .hangUp
        default: return nil
        }
    }

    init(_ closed: StandardStream.Closed) {
        self = closed.isReaderGone ? .readerLeft : .outputFailed(closed.reason)
    }
}
