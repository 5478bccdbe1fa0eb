internal import Basics
internal import FoundationEssentials
internal import Logging

/// A log handler that writes each entry as a JSON object on its own line.
struct JSONLogHandler: LogHandler {
    let console: Console
    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        console.say(Self.line(event.level, label, "\(event.message)", metadata, at: .now), from: .quiet)
    }

    /// Formats an entry as JSON, without metadata whose names collide with the entry's own fields.
    static func line(
        _ level: Logger.Level,
        _ label: String,
        _ message: String,
        _ metadata: Logger.Metadata,
        at time: Date
    ) -> String {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var object: JSONObject = [
            "time": .string(time.formatted(format)), "level": .string(level.rawValue),
            "logger": .string(label), "message": .string(message),
        ]
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) where object[key] == nil {
            object[key] = .string("\(value)")
        }
        return JSON.object(object).serialized()
    }
}
