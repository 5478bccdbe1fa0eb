internal import Basics
internal import FoundationEssentials

/// The writer of JSON Lines on standard output, one object per event, as specified for `--json`.
actor EventWriter {
    /// A stream with the reason why standard output was closed: at most one element, for a single consumer.
    nonisolated let closings: AsyncStream<StandardStream.Closed>
    private let closingSink: AsyncStream<StandardStream.Closed>.Continuation
    private let isEnabled: Bool
    private let stream: StandardStream
    /// The reason why standard output was closed; nil while it is open.
    private(set) var closed: StandardStream.Closed?
    private var copy: DumpFolder?

    nonisolated var unownedExecutor: UnownedSerialExecutor { stream.unownedExecutor }

    init(isEnabled: Bool, stream: StandardStream = .output) {
        self.isEnabled = isEnabled
        self.stream = stream
        (closings, closingSink) = AsyncStream.makeStream(of: StandardStream.Closed.self)
    }

    /// Copies all further events to a dump, even without `--json`.
    func copy(to folder: DumpFolder) { copy = folder }

    /// Writes an event; `fields` follow the common fields.
    func write(_ event: String, _ fields: JSONObject = [:]) async {
        guard isWriting || copy != nil else { return }
        let line = Self.line(event, fields, at: .now, elapsed: ProcessClock.elapsed)
        await copy?.keep(event: line)
        guard isWriting else { return }
        do {
            try await stream.write(line)
        } catch {
            closed = error
            closingSink.yield(error)
        }
    }

    private var isWriting: Bool { isEnabled && closed == nil }

    /// Formats an event as a line, with the common fields first.
    static func line(_ event: String, _ fields: JSONObject, at time: Date, elapsed: Double) -> String {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var object: JSONObject = [
            "v": 1, "time": .string(time.formatted(format)), "elapsed": .number(elapsed),
            "event": .string(event),
        ]
        for (key, value) in fields { object[key] = value }
        return escaped(JSON.object(object).serialized()) + "\n"
    }

    /// Escapes the control and format characters of a JSON text, which would have an effect on a terminal, and the
    /// separators at which some readers divide lines.
    ///
    /// JSON contains such characters only inside strings, where escapes are allowed.
    private static func escaped(_ json: String) -> String {
        guard json.utf8.contains(where: { $0 >= 0x7F }) else { return json }
        var text = ""
        for scalar in json.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
