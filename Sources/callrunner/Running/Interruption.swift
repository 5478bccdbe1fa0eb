internal import AppFlow
internal import UnixSignals

/// The cause of an interruption of a run.
enum Interruption: Equatable {
    /// SIGINT, SIGTERM, or SIGHUP, which is sent when a terminal is closed.
    case interrupt, terminate, hangUp
    /// The reader of standard output closed it.
    case readerLeft
    /// Standard output could not be written, for this reason.
    case outputFailed(String)
    /// The other side of a demo failed, so that this side cannot have a call.
    case pointless

    /// The exit code of the process; nil if the result of the run determines it.
    var exit: Int32? {
        switch self {
        case .interrupt: RunStatus.interrupted.rawValue
        case .terminate: RunStatus.terminated.rawValue
        case .hangUp: 129
        case .outputFailed: RunStatus.recordingFailed.rawValue
        case .readerLeft, .pointless: nil
        }
    }

    /// The exit code if the reader of standard output closed it before there was a call.
    ///
    /// It is 128 + SIGPIPE, the code that a shell reports for a process ended by this signal.
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
