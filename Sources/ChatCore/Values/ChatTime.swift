package import Basics

/// A time in the format of chat frames: with microseconds and an offset, like Python's `isoformat()`.
package struct ChatTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of microseconds since 1970 in UTC.
    package let microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }

    package init(_ time: Timestamp) { self.init(microseconds: time.milliseconds * 1000) }

    /// Parses a timestamp with or without a fraction, which ends with `Z` or an offset; nil for anything else.
    package init?(_ text: String) {
        guard let time = Timestamp(text) else { return nil }
        // The digits after the milliseconds, which `Timestamp` does not keep.
        let fraction = text.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst()
            .prefix { (0x30...0x39).contains($0) }
        let digits = (Array(fraction.prefix(6)) + Array(repeating: 0x30, count: 6)).prefix(6).suffix(3)
        let rest = fraction.isEmpty ? 0 : digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        microseconds = time.milliseconds * 1000 + rest
    }

    /// The text representation, without a fraction if the fraction is zero.
    package var description: String {
        let milliseconds = microseconds >= 0 ? microseconds / 1000 : (microseconds - 999) / 1000
        let text = Timestamp(milliseconds: milliseconds).description
        let fraction = microseconds - milliseconds / 1000 * 1_000_000
        guard fraction != 0 else { return "\(text.dropLast(5))+00:00" }
        let digits = String(fraction)
        return "\(text.dropLast(4))\(String(repeating: "0", count: max(0, 6 - digits.count)))\(digits)+00:00"
    }

    package static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    /// The same time in whole milliseconds.
    package var timestamp: Timestamp { Timestamp(milliseconds: microseconds / 1000) }
}
