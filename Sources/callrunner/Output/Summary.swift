internal import CallCore
internal import CallFlow
internal import CallMedia
internal import SocketIO

/// What a run came to, told once, last.
struct Summary {
    private let result: CallRun.Result

    init(_ result: CallRun.Result) { self.result = result }

    func tell(_ console: Console, _ events: EventWriter, interruptedWith code: Int32?) async {
        if let error = result.outcome.error { console.fail(error.message, hint: error.hint) }
        if result.outcome.calls > 0 { console.say(sentence, .good) }
        await events.write("summary", fields(exit: code ?? result.outcome.exit.rawValue))
    }

    private var sentence: String {
        let (outcome, totals) = (result.outcome, result.totals)
        let calls = outcome.calls == 1 ? "1 call" : "\(outcome.calls) calls"
        let attempts = outcome.attempts == 1 ? "1 attempt" : "\(outcome.attempts) attempts"
        return "\(calls) in \(attempts) · received \(totals.received[.video] ?? 0) pictures, "
            + "\(totals.received[.audio] ?? 0) sound packets, lost \(totals.lost) · "
            + "sent \(totals.sent[.video] ?? 0) and \(totals.sent[.audio] ?? 0)"
    }

    private func fields(exit: Int32) -> JSONObject {
        let (outcome, totals) = (result.outcome, result.totals)
        var fields: JSONObject = ["calls": .int(outcome.calls), "attempts": .int(outcome.attempts)]
        if let setup = outcome.setup { fields["setup"] = setup.json }
        fields["received"] = [
            "video": .int(totals.received[.video] ?? 0), "audio": .int(totals.received[.audio] ?? 0),
            "lost": .int(totals.lost),
        ]
        fields["sent"] = [
            "video": .int(totals.sent[.video] ?? 0), "audio": .int(totals.sent[.audio] ?? 0),
        ]
        fields["exit"] = .int(Int(exit))
        return fields
    }
}
