internal import AppFlow
internal import Basics
internal import CallCore
internal import CallMedia
internal import MediaKit

/// The result of a demo: it succeeds if both sides take part in the call, receive media and record it.
struct DemoVerdict {
    let caller: CallRun.Result
    let callee: CallRun.Result

    /// A problem that the demo found.
    struct Fault: Hashable {
        var message: String
        var hint: String?
    }

    /// The problems; empty if the call worked.
    var faults: [Fault] {
        if let error = caller.outcome.error, error == callee.outcome.error {
            return [Fault(message: error.message, hint: error.hint)]
        }
        return faults(of: "caller", caller, facing: "callee", callee, late: Self.sentAfterHangUp)
            + faults(of: "callee", callee, facing: "caller", caller, late: Self.inTransit)
    }

    /// Compares the media that a side received with the media that the other side sent.
    ///
    /// `late` is the number of video frames that may be missing in addition to a tenth of all frames.
    private func faults(
        of side: String,
        _ result: CallRun.Result,
        facing otherSide: String,
        _ other: CallRun.Result,
        late: Int
    ) -> [Fault] {
        if let error = result.outcome.error {
            return [Fault(message: "\(side): \(error.message)", hint: error.hint)]
        }
        var faults: [String] = []
        for (kind, name) in [(MediaKind.video, "video"), (.audio, "audio")] {
            let (sent, came) = (other.totals.sent[kind] ?? 0, result.totals.received[kind] ?? 0)
            switch (sent, came) {
            case (0, _) where other.sends.contains(kind): faults.append("\(otherSide): sent no \(name)")
            case (1..., 0): faults.append("\(side): received no \(name)")
            case (1..., ..<(sent * 9 / 10 - late)) where kind == .video:
                faults.append("\(side): received \(came) of \(sent) video frames")
            default: break
            }
        }
        if result.saved.isEmpty { faults.append("\(side): nothing was recorded") }
        return faults.map { Fault(message: $0, hint: nil) }
    }

    /// The number of frames that may be in transit when the call ends.
    ///
    /// At least nine tenths of all frames, minus this number, must arrive.
    private static let inTransit = 10
    /// The number of frames in transit plus those that the callee sends after the caller has left.
    ///
    /// It takes the callee half a second to detect that the caller has left.
    private static let sentAfterHangUp = inTransit + 20

    private var exit: Int32 {
        for result in [caller, callee] where result.outcome.exit != .success {
            return result.outcome.exit.rawValue
        }
        return faults.isEmpty ? 0 : RunStatus.mediaFailed.rawValue
    }

    /// Reports whether the call worked or, after an interruption, that this is not known.
    ///
    /// - Returns: The exit code.
    func report(_ console: Console, _ events: EventWriter, after interruption: Interruption?) async -> Int32 {
        let isUnread = isUnread(after: interruption)
        let interruption = isUnread ? Interruption.readerLeftEarly : interruption?.exit
        if let setup = caller.outcome.setup {
            console.say("call setup, as seen by the caller", .emphasis)
            for line in Waterfall(setup: setup).lines { console.say("  " + line) }
        }
        for (name, result) in [("caller", caller), ("callee", callee)] {
            let totals = result.totals
            // For a side that failed before the call, only its error is reported.
            if result.outcome.error != nil, totals.received.values.allSatisfy({ $0 == 0 }) { continue }
            let received =
                "\(totals.received[.video] ?? 0) frames, \(totals.received[.audio] ?? 0) audio packets"
            console.say("\(name) received \(received), lost \(totals.lost)")
            for sentence in result.saved.compactMap({ MediaNotice.recordingSaved($0).sentence }) {
                console.say("  " + sentence, .dim)
            }
        }
        if interruption != nil {
            let why = isUnread ? "the reader of standard output closed it" : "interrupted"
            console.say("\(why), so there is no verdict", from: isUnread ? .quiet : .normal)
        } else if faults.isEmpty {
            console.say("✔ the call works", .good)
        } else {
            for fault in faults { console.fail(fault.message, hint: fault.hint) }
            // A hint states the remedy, so `callrunner doctor` is suggested only if a fault has no hint.
            let isExplained = faults.allSatisfy { $0.hint != nil }
            let doctor = isExplained ? "" : "; `callrunner doctor` may show why"
            console.say("✘ the call does not work\(doctor)", .failure, from: .quiet)
        }
        let exit = interruption ?? self.exit
        if exit != 0, interruption == nil { await reportError(events, exit) }
        await events.write("summary", fields(exit: exit))
        return exit
    }

    /// Checks whether media is missing because the reader of standard output closed it and thereby ended the
    /// call.
    private func isUnread(after interruption: Interruption?) -> Bool {
        interruption == .readerLeft && !faults.isEmpty
            && caller.outcome.error == nil && callee.outcome.error == nil
    }

    /// Writes the event `error`, unless a side has failed and has already reported its own error.
    private func reportError(_ events: EventWriter, _ exit: Int32) async {
        guard caller.outcome.error == nil, callee.outcome.error == nil, let fault = faults.first else {
            return
        }
        let failure = Failure(code: "demo-failed", message: fault.message, hint: fault.hint, exit: exit)
        await events.write("error", failure.fields)
    }

    /// Creates the fields of the event `summary`, with the caller's measurements.
    func fields(exit: Int32) -> JSONObject {
        var summary = Summary(caller)
        summary.calls = max(caller.outcome.calls, callee.outcome.calls)
        var fields = summary.fields(exit: exit)
        fields["faults"] = .array(faults.map { .string($0.message) })
        return fields
    }
}
