internal import Logging

/// Says what the modules log on the console, between its own lines.
struct ConsoleLogHandler: LogHandler {
    let console: Console
    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    /// Sends logging to `console`, in the measure of its level; only the process's first call counts.
    static func bootstrap(_ console: Console) {
        guard once.take() else { return }
        // What the modules tell at info, the console says in its own words.
        let level: Logger.Level = console.level == .verbose ? .notice : .error
        LoggingSystem.bootstrap { ConsoleLogHandler(console: console, label: $0, logLevel: level) }
    }

    private static let once = OnceFlag()

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
