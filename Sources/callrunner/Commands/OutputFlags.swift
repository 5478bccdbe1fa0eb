internal import ArgumentParser

/// How much is said, and to whom.
struct OutputFlags: ParsableArguments {
    @Flag(help: "Write JSON Lines to standard output.")
    var json = false

    @Flag(help: "Tell a person nothing but failures.")
    var quiet = false

    @Flag(help: "Tell a person every step.")
    var verbose = false

    @Flag(help: "Use no colour, on a terminal either.")
    var noColor = false

    func console(environment: [String: String]) -> Console {
        let level: Console.Level = quiet ? .quiet : verbose ? .verbose : .normal
        let allowsColor = !noColor && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
        return Console(level: level, allowsColor: allowsColor)
    }
}
