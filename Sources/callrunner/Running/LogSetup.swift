internal import Logging

/// Sends what the modules log to standard error, in the measure of `--verbose`.
enum LogSetup {
    private static let once = OnceFlag()

    /// Further calls do nothing: logging is the process's.
    static func start(verbose: Bool) {
        guard once.take() else { return }
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = verbose ? .info : .error
            return handler
        }
    }
}
