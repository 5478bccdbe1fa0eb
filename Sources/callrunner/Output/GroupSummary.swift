internal import AppFlow
internal import Basics
internal import CallCore
internal import CallMedia

/// The summary of several calls in one process: a table row for each call, percentiles and one exit code.
struct GroupSummary {
    /// The results of one call.
    struct Row {
        let room: RoomID
        let result: CallRun.Result
        let figures: CallMeasures.Figures

        /// The time from `call.started` to the DTLS connection in milliseconds; nil without a connection.
        var setup: Double? { result.outcome.setup?.dtls.map(Double.init) }
        var firstFrame: Double? { result.outcome.setup?.firstFrame.map(Double.init) }

        /// The average received frame rate in frames per second; nil if none was measured.
        var rate: Double? {
            figures.rates.isEmpty ? nil : figures.rates.reduce(0, +) / Double(figures.rates.count)
        }

        /// The percentage of packets from the peer that were lost; nil if no packet was expected.
        var lossPercent: Double? {
            guard let latest = figures.latest else { return nil }
            let flows = [latest.videoIn, latest.audioIn].compactMap(\.self)
            let lost = flows.reduce(0) { $0 + $1.lost }
            let all = flows.reduce(lost) { $0 + $1.packets }
            return all == 0 ? nil : 100 * Double(lost) / Double(all)
        }
    }

    let rows: [Row]

    /// The exit statuses of failures, from the most severe to the least severe.
    private static let worstFirst: [RunStatus] = [
        .recordingFailed, .mediaFailed, .signalingFailed, .timedOut, .expectationFailed,
    ]

    var exit: RunStatus {
        Self.worstFirst.first { status in rows.contains { $0.result.outcome.exit == status } } ?? .success
    }

    private var failed: Int { rows.count { $0.result.outcome.exit != .success } }

    private var measures: [(name: String, title: String, values: [Double])] {
        [
            ("setupMs", "setup ms", rows.compactMap(\.setup)),
            ("firstFrameMs", "first frame ms", rows.compactMap(\.firstFrame)),
            ("fps", "frames/s", rows.compactMap(\.rate)),
            ("lossPercent", "lost %", rows.compactMap(\.lossPercent)),
        ]
    }

    /// The sums over all calls.
    private var whole: Summary {
        var summary = Summary()
        for row in rows {
            summary.calls += row.result.outcome.calls
            summary.attempts += row.result.outcome.attempts
            summary.totals.add(row.result.totals)
        }
        return summary
    }

    /// Creates the fields of the event `summary`.
    func fields(exit: Int32) -> JSONObject {
        var fields = whole.fields(exit: exit)
        fields["exit"] = nil
        fields["failed"] = .int(failed)
        var percentiles: JSONObject = [:]
        for measure in measures { percentiles[measure.name] = Percentiles(measure.values)?.json }
        fields["percentiles"] = .object(percentiles)
        fields["rooms"] = .array(
            rows.map { row in
                var object: JSONObject = ["call": .int(row.room.value)]
                let own = Summary(row.result).fields(exit: row.result.outcome.exit.rawValue)
                for (key, value) in own { object[key] = value }
                return .object(object)
            }
        )
        fields["exit"] = .int(Int(exit))
        return fields
    }

    /// The lines for the console: a table of the calls, a table of the percentiles and a final line.
    var lines: [String] {
        let calls = rows.map { row in
            [
                "\(row.room)", Self.text(row.setup), Self.text(row.firstFrame), Self.text(row.rate),
                Self.text(row.lossPercent), "\(row.result.totals.received[.video] ?? 0)",
                row.result.outcome.error?.message ?? "success",
            ]
        }
        let measured = measures.compactMap { measure in
            Percentiles(measure.values).map { [measure.title] + $0.cells }
        }
        let head = ["room", "setup ms", "first ms", "frames/s", "lost %", "frames", "outcome"]
        let table = Self.table([head] + calls)
        let spread = Self.table([["", "min", "median", "90 %", "99 %", "max"]] + measured)
        let verdict =
            failed == 0 ? "all \(rows.count) calls succeeded" : "\(failed) of \(rows.count) calls failed"
        return table + [""] + spread + [verdict]
    }

    private static func text(_ value: Double?) -> String {
        value.map { StatusText.trim(($0 * 10).rounded() / 10) } ?? "–"
    }

    /// Formats a table; the first and the seventh column are aligned to the left, the others to the right.
    private static func table(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                let isText = column == 0 || column == 6
                return isText ? cell + (column == 6 ? "" : padding) : padding + cell
            }.joined(separator: "  ")
        }
    }
}
