/// A text in Prometheus' exposition format, version 0.0.4.
package struct PrometheusText: Sendable {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package enum Kind: String {
        case counter, gauge, histogram
    }

    /// A label's name, which must match `[a-zA-Z_][a-zA-Z0-9_]*`, and its value, which may be any text.
    package typealias Label = (name: String, value: String)

    package private(set) var text = ""

    package init() {}

    /// Adds a metric with several labeled values, or nothing if there are no values.
    package mutating func add(
        _ kind: Kind,
        _ name: String,
        _ help: String,
        _ samples: [(labels: [Label], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        begin(kind, name, help)
        for (labels, value) in samples {
            // Whole numbers are written without a fraction.
            sample(name, Int(exactly: value).map { "\($0)" } ?? Self.number(value), labels)
        }
    }

    /// Adds a metric with one integer value.
    package mutating func add(_ kind: Kind, _ name: String, _ help: String, _ value: Int) {
        begin(kind, name, help)
        sample(name, "\(value)")
    }

    /// Adds a metric with one floating-point value.
    package mutating func add(_ kind: Kind, _ name: String, _ help: String, _ value: Double) {
        begin(kind, name, help)
        sample(name, Self.number(value))
    }

    /// Adds a metric whose value is always 1 and which carries labels.
    package mutating func addInfo(_ name: String, _ help: String, _ labels: [Label]) {
        begin(.gauge, name, help)
        sample(name, "1", labels)
    }

    /// Adds a metric with one labeled value for each case of an enumeration, including zeros.
    package mutating func add<Kind>(
        _ kind: PrometheusText.Kind,
        _ name: String,
        _ help: String,
        _ tally: Tally<Kind>
    ) {
        begin(kind, name, help)
        for each in Kind.allCases { sample(name, "\(tally[each])", [(Kind.labelName, each.label)]) }
    }

    /// Adds a histogram, with its durations converted to seconds.
    package mutating func add(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(.histogram, name, help)
        var cumulated = 0
        for (bound, count) in zip(histogram.bounds.map(Self.seconds) + ["+Inf"], histogram.counts) {
            cumulated += count
            sample("\(name)_bucket", "\(cumulated)", [("le", bound)])
        }
        sample("\(name)_sum", Self.seconds(histogram.sum))
        sample("\(name)_count", "\(cumulated)")
    }

    private mutating func begin(_ kind: Kind, _ name: String, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func sample(_ name: String, _ value: String, _ labels: [Label] = []) {
        let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
        text += name + (list.isEmpty ? "" : "{\(list.joined(separator: ","))}") + " \(value)\n"
    }

    private static func seconds(_ nanoseconds: Int) -> String { number(Double(nanoseconds) / 1e9) }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return "\(value)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += #"\\"#
            case "\n": escaped += #"\n"#
            case "\"" where quotes: escaped += #"\""#
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
