internal import CallCore
internal import CallFlow
internal import CallMedia
internal import SocketIO

/// Judges a demo: both sides held the call, saw it and recorded it.
struct DemoVerdict {
    let caller: CallRun.Result
    let callee: CallRun.Result
    let wanted: Duration

    /// What is wrong, in words; nothing where all is well.
    private var faults: [String] {
        [("caller", caller), ("callee", callee)].flatMap { side, result -> [String] in
            if let error = result.outcome.error { return ["\(side): \(error.message)"] }
            var faults: [String] = []
            let pictures = result.totals.received[.video] ?? 0
            let expected = Int(wanted / .seconds(1) * 30 * 0.9)
            if pictures < expected {
                faults.append("\(side): \(pictures) pictures came, \(expected) were due")
            }
            if (result.totals.received[.audio] ?? 0) == 0 { faults.append("\(side): no sound came") }
            if result.saved.isEmpty { faults.append("\(side): nothing was recorded") }
            return faults
        }
    }

    private var exit: Int32 {
        for result in [caller, callee] where result.outcome.exit != .success {
            return result.outcome.exit.rawValue
        }
        return faults.isEmpty ? 0 : 3
    }

    /// - Returns: the exit code.
    func tell(_ console: Console, _ events: EventWriter) async -> Int32 {
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
        let faults = faults
        for fault in faults { console.fail(fault, hint: nil) }
        if faults.isEmpty {
            console.say("✔ the call works", .good)
        } else {
            console.say("✘ the call does not work; `callrunner doctor` may tell why", .failure, from: .quiet)
        }
        await events.write("summary", fields)
        return exit
    }

    private var fields: JSONObject {
        var fields: JSONObject = [
            "calls": .int(max(caller.outcome.calls, callee.outcome.calls)),
            "attempts": .int(caller.outcome.attempts),
        ]
        if let setup = caller.outcome.setup { fields["setup"] = setup.json }
        fields["faults"] = .array(faults.map(JSON.string))
        fields["exit"] = .int(Int(exit))
        return fields
    }
}
