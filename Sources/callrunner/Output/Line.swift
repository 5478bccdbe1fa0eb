/// Something to read, and when it is worth a line.
struct Line: Hashable {
    enum Weight {
        /// Whatever else is shown.
        case lasting
        /// Where no live line shows it.
        case step
        /// With `--verbose`.
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
