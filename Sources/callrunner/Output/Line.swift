/// A line for the console, and the condition under which it is written.
struct Line: Hashable {
    enum Weight {
        /// Always written, except with `--quiet`.
        case lasting
        /// Written if there is no live line, or with `--verbose`.
        case step
        /// Written only with `--verbose`.
        case detail
    }

    var sentence: String
    var style = Style.plain
    var weight = Weight.step
}

extension Console {
    func say(_ line: Line) {
        let level: Level =
            line.weight == .lasting || line.weight == .step && !hasLiveLine ? .normal : .verbose
        say(line.sentence, line.style, from: level)
    }
}
