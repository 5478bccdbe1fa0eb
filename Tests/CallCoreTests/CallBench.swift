import CallCore
import CallTesting

/// A caller, a callee and the simulated signaling server between them, which run in virtual time.
struct CallBench: Sendable {
    typealias Script = @Sendable (Int) -> FakeMedia.Script

    /// All reports of the call on one side, and its outcome.
    struct Record: Sendable {
        var reports: [CallReport] = []
        var outcome: CallOutcome?

        var end: CallEnd? { outcome?.summary.end }
        var states: [String] {
            reports.compactMap { if case .state(let state) = $0 { state.name } else { nil } }
        }
        var attempts: Int {
            reports.count { if case .started = $0 { true } else { false } }
        }
    }

    let clock: ManualClock
    let network: FakeNetwork
    let wire: Wire
    let caller: FakeMedia
    let callee: FakeMedia
    var callerOptions = CallOptions()
    var calleeOptions = CallOptions()

    init(
        _ clock: ManualClock,
        wire: Wire = Wire(),
        network: FakeNetwork = FakeNetwork(),
        caller: @escaping Script = { _ in .init() },
        callee: @escaping Script = { _ in .init() }
    ) {
        self.clock = clock
        self.wire = wire
        self.network = network
        self.caller = FakeMedia(name: "ann", network: network, clock: clock, script: caller)
        self.callee = FakeMedia(name: "bob", network: network, clock: clock, script: callee)
    }

    /// Joins the room, runs one call to its end, and passes each report to `watch`.
    func call(
        _ role: Role,
        commands: RoomSession.Inputs = AsyncStream.makeStream(of: RoomInput.self),
        onReport watch: @Sendable (CallReport, WireEnd) -> Void = { _, _ in }
    ) async -> Record {
        let end = wire.join(Participant(username: role == .caller ? "Ann" : "Bob", role: role))
        defer { end.leave() }
        return await call(role, at: end, commands: commands, onReport: watch)
    }

    func call(
        _ role: Role,
        at end: WireEnd,
        commands: RoomSession.Inputs = AsyncStream.makeStream(of: RoomInput.self),
        onReport watch: @Sendable (CallReport, WireEnd) -> Void = { _, _ in }
    ) async -> Record {
        let media = role == .caller ? caller : callee
        let options = role == .caller ? callerOptions : calleeOptions
        let session = CallSession(options: options)
        return await RoomSession.run(
            PresenceTracker(role: role, username: role == .caller ? "Ann" : "Bob"),
            channel: end,
            media: media,
            clock: clock,
            inputs: commands
        ) { room in
            var record = Record()
            var waiting = CallTrigger(role: role, isPrepared: true)
            if let timeout = options.peerTimeout { room.start(.peer, timeout) }
            while let input = await room.next() {
                // The peer left before it sent an offer, so no call follows.
                if case .room(_, let changes) = input, changes.contains(where: \.isGoing) { break }
                guard let decision = waiting.handle(input, &room.presence) else { continue }
                guard case .open(let opening) = decision else { break }
                record.outcome = await session.run(opening, in: &room) { report in
                    record.reports.append(report)
                    watch(report, end)
                }
                break
            }
            return record
        }
    }

    /// The protocol violations, and the media sessions that are still open; empty after a correct call.
    var leftovers: [String] {
        network.faults + (caller.open > 0 ? ["caller's session"] : [])
            + (callee.open > 0 ? ["callee's session"] : [])
    }
}

extension CallReport {
    var isConnected: Bool { self == .mediaConnected }

    var state: CallState? {
        if case .state(let state) = self { state } else { nil }
    }
}

extension PresenceChange {
    fileprivate var isGoing: Bool {
        switch self {
        case .left, .leftPerhaps, .missing: true
        case .appeared, .reappeared: false
        }
    }
}
