internal import ArgumentParser
internal import Basics

/// The flags for the format, the verbosity and the color of the output.
struct OutputFlags: ParsableArguments {
    @Flag(help: "Write JSON Lines to standard output: one object per event.")
    var json = false

    @Flag(help: "On standard error, write nothing but failures.")
    var quiet = false

    @Flag(help: "Print every step.")
    var verbose = false

    @Flag(help: "Use no color, even on a terminal; NO_COLOR does the same.")
    var noColor = false

    /// The output options that result from flags, environment and configuration file.
    struct Choice: Hashable {
        var writesJSON = false
        var level = Console.Level.normal
        var allowsColor = false
    }

    /// Creates the output options from the flags and settings.
    ///
    /// - Throws: `Failure` with exit code 64.
    func choice(_ settings: Settings) throws(Failure) -> Choice {
        let level: Console.Level =
            switch try settings.choice(.quiet, quiet, .verbose, verbose) {
            case .quiet?: .quiet
            case .verbose?: .verbose
            default: .normal
            }
        let isPlain = settings.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let isDumb = settings.environment["TERM"] == "dumb"
        return Choice(
            writesJSON: try settings.isOn(.json, json),
            level: level,
            allowsColor: try !settings.isOn(.noColor, noColor) && !isPlain && !isDumb
        )
    }
}
