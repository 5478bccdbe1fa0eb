internal import FoundationEssentials
internal import GLibKit
internal import Glibc
internal import SocketIO

/// Writes JSON Lines to standard output, one object per event, as the contract of `--json` says.
///
/// A reader may be slow, so the actor writes on a thread of its own.
actor EventWriter {
    private static let thread = GLibExecutor(threadName: "json-output")

    /// Standard output was closed by its reader; one element, single consumer.
    nonisolated let readerLeft: AsyncStream<Void>
    private let readerLeftNews: AsyncStream<Void>.Continuation
    private let isEnabled: Bool
    private var isBroken = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.thread.asUnownedSerialExecutor() }

    init(isEnabled: Bool) {
        self.isEnabled = isEnabled
        (readerLeft, readerLeftNews) = AsyncStream.makeStream(of: Void.self)
    }

    /// Writes one event; `fields` follow the common ones in their order.
    func write(_ event: String, _ fields: JSONObject = [:]) {
        guard isEnabled, !isBroken else { return }
        var object: JSONObject = [
            "v": 1,
            "time": .string(Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            "elapsed": .number(ProcessClock.elapsed),
            "event": .string(event),
        ]
        for (key, value) in fields { object[key] = value }
        var line = Array(JSON.object(object).serialized().utf8)
        line.append(UInt8(ascii: "\n"))
        if !Self.writeAll(line) {
            isBroken = true
            readerLeftNews.yield()
        }
    }

    private static func writeAll(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
