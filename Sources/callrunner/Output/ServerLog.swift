internal import Logging

/// The log of `callrunner serve`.
enum ServerLog {
    /// Creates a logger that writes to the console; its log level follows the console's level.
    ///
    /// By default, a JSON log contains entries from level info, and a text log from level warning.
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
