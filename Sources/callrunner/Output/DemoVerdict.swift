internal import CallCore
internal import CallFlow
internal import CallMedia
internal import SocketIO

/// Judges a demo: both sides held the call, saw it and recorded it.
struct DemoVerdict {
    let caller: CallRun.Result
    let callee: CallRun.Result

    /// Something that is wrong, in words.
    struct Fault: Hashable {
        var message: String
        var hint: String?
    }

    /// Nothing where all is well.
    var faults: [Fault] {
        faults(of: "caller", caller, facing: "callee", callee)
            + faults(of: "callee", callee, facing: "caller", caller)
    }

    /// A side is measured by what the other one sent.
    private func faults(
        of side: String,
        _ result: CallRun.Result,
        facing otherSide: String,
        _ other: CallRun.Result
    ) -> [Fault] {
        if let error = result.outcome.error {
            return [Fault(message: "\(side): \(error.message)", hint: error.hint)]
        }
        var faults: [String] = []
        for (kind, name) in [(MediaKind.video, "pictures"), (.audio, "sound")] {
            let (sent, came) = (other.totals.sent[kind] ?? 0, result.totals.received[kind] ?? 0)
            switch (sent, came) {
            case (0, _) where other.sends.contains(kind): faults.append("\(otherSide): no \(name) went out")
            case (1..., 0): faults.append("\(side): no \(name) came")
            case (1..., ..<Self.due(of: sent)) where kind == .video:
                faults.append("\(side): \(came) pictures came of \(sent)")
            default: break
            }
        }
        if result.saved.isEmpty { faults.append("\(side): nothing was recorded") }
        return faults.map { Fault(message: $0, hint: nil) }
    }

    /// Nine of ten pictures, less those that were on their way when the call ended.
    private static func due(of sent: Int) -> Int { sent * 9 / 10 - 10 }

    private var exit: Int32 {
        for result in [caller, callee] where result.outcome.exit != .success {
            return result.outcome.exit.rawValue
        }
        return faults.isEmpty ? 0 : RunStatus.mediaFailed.rawValue
    }

    /// Tells the verdict, unless the demo was ended from outside with the exit code `interruption`.
    ///
    /// - Returns: the exit code.
    func tell(_ console: Console, _ events: EventWriter, interruptedWith interruption: Int32?) async -> Int32
    {
        if let setup = caller.outcome.setup {
            console.say("set-up of the call, as the caller saw it", .emphasis)
            for line in Waterfall(setup: setup).lines { console.say("  " + line) }
        }
        for (name, result) in [("caller", caller), ("callee", callee)] {
            let totals = result.totals
            let received =
                "\(totals.received[.video] ?? 0) pictures, \(totals.received[.audio] ?? 0) sound packets"
            console.say("\(name) received \(received), lost \(totals.lost)")
            for sentence in result.saved.compactMap({ MediaNotice.recordingSaved($0).sentence }) {
                console.say("  " + sentence, .dim)
            }
        }
        if interruption != nil {
            console.say("interrupted, so there is no verdict")
        } else if faults.isEmpty {
            console.say("✔ the call works", .good)
        } else {
            for fault in faults { console.fail(fault.message, hint: fault.hint) }
            console.say("✘ the call does not work; `callrunner doctor` may tell why", .failure, from: .quiet)
        }
        let exit = interruption ?? self.exit
        if exit != 0, interruption == nil { await tellError(events, exit) }
        await events.write("summary", fields(exit: exit))
        return exit
    }

    /// Of a side that failed, its run has told the error.
    private func tellError(_ events: EventWriter, _ exit: Int32) async {
        guard caller.outcome.error == nil, callee.outcome.error == nil, let fault = faults.first else {
            return
        }
        let failure = Failure(code: "demo-failed", message: fault.message, hint: fault.hint, exit: exit)
        await events.write("error", failure.fields)
    }

    /// As of a call, seen by the caller.
    func fields(exit: Int32) -> JSONObject {
        var summary = Summary(caller)
        summary.calls = max(caller.outcome.calls, callee.outcome.calls)
        var fields = summary.fields(exit: exit)
        fields["faults"] = .array(faults.map { .string($0.message) })
        return fields
    }
}
