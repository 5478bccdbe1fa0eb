internal import FoundationEssentials
internal import SocketIO

/// Writes JSON Lines to standard output, one object per event, as the contract of `--json` says.
actor EventWriter {
    /// Why standard output was closed; at most one element, single consumer.
    nonisolated let closings: AsyncStream<StandardStream.Closed>
    private let closingNews: AsyncStream<StandardStream.Closed>.Continuation
    private let isEnabled: Bool
    private let stream: StandardStream
    private var isClosed = false
    private var copy: DumpFolder?

    nonisolated var unownedExecutor: UnownedSerialExecutor { stream.unownedExecutor }

    init(isEnabled: Bool, stream: StandardStream = .output) {
        self.isEnabled = isEnabled
        self.stream = stream
        (closings, closingNews) = AsyncStream.makeStream(of: StandardStream.Closed.self)
    }

    /// From now on every event is kept there too, whether it is written here or not.
    func copy(to folder: DumpFolder) { copy = folder }

    /// Writes one event; `fields` follow the common ones in their order.
    func write(_ event: String, _ fields: JSONObject = [:]) async {
        guard isWriting || copy != nil else { return }
        let line = Self.line(event, fields, at: .now, elapsed: ProcessClock.elapsed)
        await copy?.keep(event: line)
        guard isWriting else { return }
        do {
            try await stream.write(line)
        } catch {
            isClosed = true
            closingNews.yield(error)
        }
    }

    private var isWriting: Bool { isEnabled && !isClosed }

    /// One event as a line, the common fields first.
    static func line(_ event: String, _ fields: JSONObject, at time: Date, elapsed: Double) -> String {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var object: JSONObject = [
            "v": 1, "time": .string(time.formatted(format)), "elapsed": .number(elapsed),
            "event": .string(event),
        ]
        for (key, value) in fields { object[key] = value }
        return JSON.object(object).serialized() + "\n"
    }
}
