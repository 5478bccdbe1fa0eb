internal import Logging
internal import Synchronization

/// A log handler that writes the log entries of all modules to the console.
struct ConsoleLogHandler: LogHandler {
    let console: Console
    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    /// Installs the handler for all loggers of the process, with a log level that follows the console's
    /// level.
    ///
    /// Only the first call in the process has an effect.
    static func bootstrap(_ console: Console) {
        guard !isBootstrapped.exchange(true, ordering: .relaxed) else { return }
        // The console already reports what the modules log at the info level.
        let level: Logger.Level = console.level == .verbose ? .notice : .error
        LoggingSystem.bootstrap { ConsoleLogHandler(console: console, label: $0, logLevel: level) }
    }

    private static let isBootstrapped = Atomic(false)

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        let details = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        console.say("\(event.level) \(label): \(event.message)\(details)", .dim, from: .quiet)
    }
}
