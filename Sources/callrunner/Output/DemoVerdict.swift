internal import CallCore
internal import CallFlow
internal import CallMedia
internal import SocketIO

/// Judges a demo: both sides held the call, saw it and recorded it.
struct DemoVerdict {
    let caller: CallRun.Result
    let callee: CallRun.Result
    let wanted: Duration

    /// Something that is wrong, in words.
    struct Fault: Hashable {
        var message: String
        var hint: String?
    }

    /// Nothing where all is well.
    var faults: [Fault] {
        [("caller", caller), ("callee", callee)].flatMap { side, result -> [Fault] in
            if let error = result.outcome.error {
                return [Fault(message: "\(side): \(error.message)", hint: error.hint)]
            }
            var faults: [String] = []
            let pictures = result.totals.received[.video] ?? 0
            let expected = Int(wanted / .seconds(1) * 30 * 0.9)
            if pictures < expected {
                faults.append("\(side): \(pictures) pictures came, \(expected) were due")
            }
            if (result.totals.received[.audio] ?? 0) == 0 { faults.append("\(side): no sound came") }
            if result.saved.isEmpty { faults.append("\(side): nothing was recorded") }
            return faults.map { Fault(message: $0, hint: nil) }
        }
    }

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
            for saved in result.saved { console.say("  " + MediaNotice.recordingSaved(saved).sentence, .dim) }
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

    private func fields(exit: Int32) -> JSONObject {
        var fields: JSONObject = [
            "calls": .int(max(caller.outcome.calls, callee.outcome.calls)),
            "attempts": .int(caller.outcome.attempts),
        ]
        if let setup = caller.outcome.setup { fields["setup"] = setup.json }
        fields["faults"] = .array(faults.map { .string($0.message) })
        fields["exit"] = .int(Int(exit))
        return fields
    }
}
