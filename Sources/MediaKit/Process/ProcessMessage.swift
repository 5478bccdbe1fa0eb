internal import Basics
internal import FoundationEssentials

/// A message between this program and a separate process of it, encoded as one line of JSON.
package protocol ProcessMessage: Codable, Hashable, Sendable {}

/// A message from a separate process, of which a hostile stream may have taken control.
package protocol ProcessReport: ProcessMessage {
    /// The report that the process is not hanging.
    static var alive: Self { get }

    /// Whether all values are in their ranges.
    var isPlausible: Bool { get }

    /// A copy whose texts are shortened for sending.
    var shortened: Self { get }
}

extension ProcessMessage {
    /// Encodes the message as a line of JSON, including the newline.
    package func line() throws -> [UInt8] {
        try Array(JSONEncoder().encode(self)) + [UInt8(ascii: "\n")]
    }

    /// Decodes a message from a line without the newline.
    package init(line: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(line)) }
}

/// The limit on the length of texts in reports; libraries may quote text from a server.
package enum ReportedText {
    /// The maximum length of a text in Unicode scalars.
    private static let limit = 2000

    package static func isPlausible(_ text: String) -> Bool { text.unicodeScalars.count <= limit }

    package static func shortened(_ text: String) -> String {
        String(String.UnicodeScalarView(text.streamSafe.unicodeScalars.prefix(limit)))
    }

    /// Returns whether comparing the texts in a line of JSON takes little time.
    ///
    /// Escapes above U+00FF are rejected, because they could hide combining marks; `JSONEncoder` escapes only control
    /// characters.
    static func isHarmless(_ line: [UInt8]) -> Bool {
        guard String(decoding: line, as: UTF8.self).isStreamSafe else { return false }
        return zip(line.indices, line).allSatisfy { index, byte in
            guard byte == UInt8(ascii: "\\"), index + 3 < line.count, line[index + 1] == UInt8(ascii: "u")
            else {
                return true
            }
            return line[index + 2] == UInt8(ascii: "0") && line[index + 3] == UInt8(ascii: "0")
        }
    }
}

/// A limit on the rate at which a process reports.
///
/// A process reports a few times per second, but many reports may be queued if the other process was suspended.
package struct ReportAllowance {
    private static let burst = 1000.0
    private static let perSecond = 100.0

    private var left = burst
    private var last: ContinuousClock.Instant?

    package init() {}

    /// Counts a report at this time; returns false if there were too many.
    package mutating func take(at now: ContinuousClock.Instant) -> Bool {
        if let last { left = min(Self.burst, left + (now - last) / .seconds(1) * Self.perSecond) }
        last = now
        left -= 1
        return left >= 0
    }
}
