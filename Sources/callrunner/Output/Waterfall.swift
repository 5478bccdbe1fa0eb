internal import CallCore

/// A text chart of a call's setup: one bar per step, each starting where the previous one ends.
struct Waterfall {
    let setup: CallSetup

    private static let width = 40

    private var steps: [(name: String, end: Int)] {
        let all: [(String, Int?)] = [
            ("offer", setup.offer), ("answer", setup.answer), ("first candidate", setup.firstCandidate),
            ("ICE", setup.ice), ("DTLS", setup.dtls), ("first packet", setup.firstPacket),
            ("first frame", setup.firstFrame),
        ]
        return all.compactMap { name, end in end.map { (name, $0) } }.sorted { $0.end < $1.end }
    }

    /// One line per step, in the order of their completion.
    var lines: [String] {
        let steps = steps
        guard let total = steps.last?.end else { return [] }
        var start = 0
        return steps.map { step in
            defer { start = step.end }
            let from = column(start, of: total)
            let to = max(from + 1, column(step.end, of: total))
            let bar = String(repeating: " ", count: from) + String(repeating: "█", count: to - from)
            return "\(padded(step.name, 15)) \(padded(bar, Self.width + 1)) \(leading(step.end, 5)) ms"
        }
    }

    private func column(_ time: Int, of total: Int) -> Int { total == 0 ? 0 : time * Self.width / total }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func leading(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
