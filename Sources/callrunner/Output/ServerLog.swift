internal import Logging

/// The log of `callrunner serve`.
enum ServerLog {
    /// A logger that writes on the console's standard error, in the measure of its level.
    ///
    /// A log for machines tells every request; one for people only what they should look at, unless they
    /// want it `--verbose`.
    static func logger(_ console: Console, asJSON: Bool) -> Logger {
        let level: Logger.Level =
            switch console.level {
            case .silent, .quiet: .error
            case .normal: asJSON ? .info : .warning
            case .verbose: .debug
            }
        return Logger(label: "callrunner.server") { label -> any LogHandler in
            if asJSON { return JSONLogHandler(console: console, label: label, logLevel: level) }
            return ConsoleLogHandler(console: console, label: label, logLevel: level)
        }
    }
}
