import CallCore
import CallTesting
import Synchronization

/// A call of two peers under seeded misfortune, and what is wrong with how it went.
///
/// For a minute messages are lost, doubled, late and out of order, sockets and connections break, media fails or
/// hangs, and somebody may hang up or be cancelled at any moment. Then all is well, and four minutes later either
/// both are connected or both have ended.
final class CallSchedule: Sendable {
    private typealias Signal = (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    /// One side of the call.
    private struct Side: Sendable {
        let role: Role
        let end: WireEnd
        let inputs: RoomSession.Inputs = AsyncStream.makeStream()
        let cancellation: Signal = AsyncStream.makeStream()
    }

    private let bench: CallBench
    /// Whether newcomers are told nothing.
    private let isSilent: Bool
    private let random: Mutex<SeededGenerator>
    private let sides: [Side]
    /// What each side told last, while its call lasts.
    private let states = Mutex<[Role: CallState]>([:])
    private let problems = Mutex<[String]>([])

    init(seed: UInt64, _ clock: ManualClock) {
        var random = SeededGenerator(seed: seed)
        var faults = Wire.Faults()
        faults.loss = Double.random(in: 0...0.3, using: &random)
        faults.duplication = Double.random(in: 0...0.3, using: &random)
        faults.reordering = Double.random(in: 0...0.3, using: &random)
        faults.lateness = Double.random(in: 0...0.3, using: &random)
        faults.seed = seed
        isSilent = Bool.random(using: &random)
        var bench = CallBench(
            clock,
            wire: Wire(faults: faults, tellsNewcomers: !isSilent),
            caller: Self.misfortune(random.next()),
            callee: Self.misfortune(random.next())
        )
        bench.callerOptions.peerTimeout = .seconds(100)
        bench.calleeOptions.peerTimeout = .seconds(100)
        bench.callerOptions.retries = [nil, -1, 1, 4][Int.random(in: 0..<4, using: &random)]
        bench.callerOptions.leavesRoom = Bool.random(using: &random)
        bench.calleeOptions.leavesRoom = bench.callerOptions.leavesRoom
        self.bench = bench
        sides = [
            Side(role: .callee, end: bench.wire.join(Participant(username: "Bob", role: .callee))),
            Side(role: .caller, end: bench.wire.join(Participant(username: "Ann", role: .caller))),
        ]
        self.random = Mutex(random)
    }

    private static func misfortune(_ seed: UInt64) -> CallBench.Script {
        { number in
            var random = SeededGenerator(seed: seed &+ UInt64(number))
            var script = FakeMedia.Script()
            script.delay = .milliseconds(Int.random(in: 0...300, using: &random))
            guard number < 5 else { return script }
            switch Int.random(in: 0..<14, using: &random) {
            case 0: script.connects = false
            case 1: script.failure = .iceFailed(detail: "simulated")
            case 2: script.applies = .hangs
            case 3: script.answers = .hangs
            case 4: script.makes = .hangs
            case 5: script.offers = .hangs
            default: break
            }
            return script
        }
    }

    /// Everything that is wrong; nothing, that is.
    func run() async -> [String] {
        await withTaskGroup { group in
            group.addTask { await self.bench.network.watch(self.bench.clock) }
            group.addTask { await self.bench.wire.deliverLate(self.bench.clock) }
            group.addTask { await self.trouble() }
            await withTaskGroup { calls in
                for side in sides { calls.addTask { await self.live(side) } }
            }
            group.cancelAll()
        }
        return problems.withLock { $0 } + bench.leftovers
    }

    /// Holds the call of one side, until it ends or is cancelled.
    private func live(_ side: Side) async {
        await withTaskGroup { group in
            group.addTask {
                let record = await self.bench.call(side.role, at: side.end, commands: side.inputs) {
                    report,
                    _ in
                    if let state = report.state { self.states.withLock { $0[side.role] = state } }
                }
                self.check(record, of: side.role)
                side.end.leave()
                side.cancellation.continuation.finish()
            }
            for await _ in side.cancellation.stream { break }
            if !Task.isCancelled { group.cancelAll() }
        }
    }

    private func check(_ record: CallBench.Record, of role: Role) {
        states.withLock { $0[role] = nil }
        let media = role == .caller ? bench.caller : bench.callee
        if media.open > 0 { note("\(role) has an open connection behind its end") }
        guard !record.reports.isEmpty else { return }
        let ends = record.reports.count { if case .ended = $0 { true } else { false } }
        if ends != 1 || record.outcome == nil { note("\(role) was told \(ends) ends") }
    }

    private func note(_ problem: String) { problems.withLock { $0.append(problem) } }

    /// A minute of misfortune, peace, the judgement, and the end.
    private func trouble() async {
        let clock = bench.clock
        while clock.now.offset < .seconds(60) {
            let pause = Duration.milliseconds(number(in: 0...15_000))
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            await act()
        }
        bench.wire.heal()
        guard (try? await clock.sleep(for: .seconds(240))) != nil else { return }
        judge(states.withLock { $0 })
        for side in sides { side.inputs.continuation.yield(.command(.leave)) }
    }

    private func judge(_ states: [Role: CallState]) {
        if states.isEmpty || states == [.caller: .connected, .callee: .connected] { return }
        // Nobody tells who has left, and the user wants attempts without end.
        if isSilent && bench.callerOptions.retries == -1 && states[.callee] == nil { return }
        note("after peace: \(states)")
    }

    private func act() async {
        let side = sides[number(in: 0...1)]
        switch number(in: 0...19) {
        case 0...3: bench.network.cut()
        case 4...5: bench.network.cut(side.role == .caller ? "ann" : "bob")
        case 6: bench.network.fail(.iceFailed(detail: "simulated"))
        case 7...11:
            side.end.lose()
            try? await bench.clock.sleep(for: .milliseconds(number(in: 0...15_000)))
            side.end.recover()
        case 12...13:
            bench.wire.loseAll()
            try? await bench.clock.sleep(for: .milliseconds(number(in: 0...15_000)))
            for side in sides { side.end.recover() }
        case 14: side.inputs.continuation.yield(.command(.hangUp))
        case 15: side.cancellation.continuation.yield()
        default: break
        }
    }

    private func number(in range: ClosedRange<Int>) -> Int {
        random.withLock { Int.random(in: range, using: &$0) }
    }
}
