import AppFlow
import CallCore

/// The reports of one run over its successive calls, which are checked for consistency.
struct RoomRecord: Sendable {
    private var summaries: [CallSummary] = []
    private var isInCall = false
    private var isClosing = false
    private var problems: [String] = []

    var ends: [CallEnd] { summaries.map(\.end) }

    mutating func handle(_ event: FlowEvent) {
        if isClosing { problems.append("told \(event) behind its end") }
        if event == .closing { isClosing = true }
        guard case .call(let report) = event else { return }
        switch report {
        case .started, .state(.ringing): isInCall = true
        case .state(.idle), .state(.awaitingOffer): if isInCall { problems.append("waits within a call") }
        case .ended(let summary):
            if !isInCall { problems.append("told an end without a call") }
            isInCall = false
            summaries.append(summary)
        default: break
        }
    }

    /// Returns the inconsistencies between the reports and the outcome of an ended run.
    func problems(of outcome: RunOutcome) -> [String] {
        var problems = problems
        if isInCall { problems.append("told no end of its last call") }
        if outcome.calls != summaries.count {
            problems.append("counts \(outcome.calls) calls of \(summaries.count)")
        }
        let exit = summaries.last.flatMap(Diagnosis.init)?.exit ?? .success
        if outcome.exit != exit { problems.append("exits with \(outcome.exit), not \(exit)") }
        return problems
    }
}
