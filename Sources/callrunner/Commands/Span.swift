internal import ArgumentParser
internal import CallCore

/// A duration on the command line, as in `10s` or `1m30s`.
struct Span: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        guard let text = try? DurationText(argument) else { return nil }
        duration = text.duration
    }

    var description: String { DurationText(duration).description.replacing(" ", with: "") }
}
