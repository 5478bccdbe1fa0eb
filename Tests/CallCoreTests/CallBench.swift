import CallCore
import CallTesting

/// A test bench with a caller, a callee and the wire between them, in virtual time.
struct CallBench: Sendable {
    typealias Script = @Sendable (Int) -> FakeMedia.Script

    /// The record of one side's call.
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

    /// Waits in the room for one call and runs it; `watch` receives each report and may act.
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
                // The peer gave up before it could offer, so there will be no call.
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

    /// The protocol violations and open sessions once everything has returned; expected to be empty.
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
