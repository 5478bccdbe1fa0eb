internal import CallCore
internal import CallFlow
internal import CallMedia

// Several simultaneous calls.

extension CallRequest {
    /// The maximum number of simultaneous calls, each of which takes a dozen descriptors and threads.
    static let mostCalls = 1000

    /// Creates the plan of call `number`, counted from 1; only the room differs from the first one.
    func plan(call number: Int) -> CallPlan {
        var plan = plan
        let room = plan.identity.room
        // `checkCalls` has verified that the last room exists.
        let own = (try? RoomID(room.value + number - 1)) ?? room
        plan.identity = Identity(username: plan.identity.username, room: own)
        return plan
    }

    /// Checks that several calls can be held as requested.
    ///
    /// - Throws: `Failure` with exit code 64.
    func checkCalls(_ flags: CallFlags, _ settings: Settings) throws(Failure) {
        guard calls > 1 else { return }
        try recording.checkNames(ofCalls: calls)
        let first = plan.identity.room.value
        guard (try? RoomID(first + calls - 1)) != nil else {
            throw .usage(
                "there are no \(calls) rooms from \(first) on",
                hint: "begin at a smaller --room"
            )
        }
        guard
            try settings.choice(.window, flags.presentation.window, .headless, flags.presentation.headless)
                != .window
        else {
            throw .usage("--window shows one call, and --calls asks for \(calls)", hint: "leave --window out")
        }
        guard flags.sound.speaker == nil || media.sound.speaker == .none else {
            throw .usage(
                "--speaker plays one call, and --calls asks for \(calls)",
                hint: "leave --speaker out"
            )
        }
        guard control == nil else {
            throw .usage(
                "--control steers one call, and --calls asks for \(calls)",
                hint: "leave --control out"
            )
        }
        guard dump == nil else {
            throw .usage("--dump keeps one call, and --calls asks for \(calls)", hint: "leave --dump out")
        }
    }
}
