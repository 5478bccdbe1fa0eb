internal import AppFlow
internal import Basics
internal import CallCore
internal import CallMedia

/// The totals of a run, reported once, at its end.
struct Summary {
    var calls = 0
    var attempts = 0
    var setup: CallSetup?
    var totals = MediaTotals()

    /// Creates an empty summary, as for a run that never started.
    init() {}

    init(_ result: CallRun.Result) {
        calls = result.outcome.calls
        attempts = result.outcome.attempts
        setup = result.outcome.setup
        totals = result.totals
    }

    /// The summary as one sentence for the console; nil without a call, or if no media was received or sent.
    var sentence: String? {
        let packets = [totals.received, totals.sent].flatMap(\.values)
        guard calls > 0, packets.contains(where: { $0 > 0 }) else { return nil }
        return "\(Self.count(calls, "call")) in \(Self.count(attempts, "attempt")) · "
            + "received \(totals.received[.video] ?? 0) frames, "
            + "\(totals.received[.audio] ?? 0) audio packets, lost \(totals.lost) · "
            + "sent \(totals.sent[.video] ?? 0) frames, \(totals.sent[.audio] ?? 0) audio packets"
    }

    /// Creates the fields of the event `summary`.
    func fields(exit: Int32) -> JSONObject {
        var fields: JSONObject = ["calls": .int(calls), "attempts": .int(attempts)]
        if let setup { fields["setup"] = setup.json }
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

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}
