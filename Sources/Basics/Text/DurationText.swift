/// A duration as people write it: `10s`, `1m30s`, `500ms`, `1.5h`, plain seconds.
package struct DurationText: Hashable, Sendable, CustomStringConvertible {
    package let duration: Duration

    package init(_ duration: Duration) {
        self.duration = duration
    }

    /// Creates a duration from seconds, limited to 0…1,000,000; a value that is not finite becomes 0.
    package init(seconds: Double) {
        let bounded = seconds.isFinite ? min(max(seconds, 0), 1_000_000) : 0
        duration = .milliseconds(Int(bounded * 1000))
    }

    /// Parses a duration.
    ///
    /// - Throws: `DurationTextError` for anything but a number of seconds, or numbers with units in
    ///   descending order, each unit at most once; a number has at most six digits before the point.
    package init(_ text: some StringProtocol) throws(DurationTextError) {
        guard let nanoseconds = Self.nanoseconds(in: text) else {
            throw DurationTextError(text: String(text.prefix(80)))
        }
        duration = .nanoseconds(nanoseconds)
    }

    /// The duration for display, such as `1 m 30 s`, `90.5 s` or `500 ms`; a negative duration is `0 s`.
    package var description: String {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return "0 s" }
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if seconds == 0 && milliseconds > 0 { return "\(milliseconds) ms" }
        if milliseconds > 0 {
            let digits = String(milliseconds + 1000).dropFirst()
            let fraction = digits.reversed().drop { $0 == "0" }.reversed()
            return "\(seconds).\(String(fraction)) s"
        }
        let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")]
        let text = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
        return text.isEmpty ? "0 s" : text
    }

    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000),
    ]

    private static func nanoseconds(in text: some StringProtocol) -> Int64? {
        var rest = Substring(text)
        var next = 0
        var total: Int64 = 0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest[number.endIndex...]
            let unit = rest.prefix { $0.isLetter }
            rest = rest[unit.endIndex...]
            let isBare = unit.isEmpty && rest.isEmpty && next == 0
            let name = isBare ? "s" : String(unit)
            guard let index = units[next...].firstIndex(where: { $0.name == name }),
                let part = scaled(number, by: units[index].nanoseconds)
            else { return nil }
            total += part  // Cannot overflow: at most four parts in descending units, see `scaled`.
            next = index + 1
        }
        return total
    }

    /// Multiplies a decimal with at most six digits before the point by `unit`.
    ///
    /// The product is below 4 × 10^18, and four parts in descending units fit into `Int64`.
    private static func scaled(_ number: Substring, by unit: Int64) -> Int64? {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, whole.count <= 6 else { return nil }
        let fraction = parts.count == 2 ? parts[1].prefix(9) : ""
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        guard let integer = Int64("0" + whole) else { return nil }
        var total = integer * unit
        var place = unit
        for digit in fraction {
            place /= 10
            total += Int64(digit.wholeNumberValue ?? 0) * place
        }
        return total
    }
}

/// A text that is not a duration.
package struct DurationTextError: Error, Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package var description: String {
        "“\(text)” is not a duration; write 10s, 1m30s, 500ms or plain seconds such as 2.5"
    }
}
