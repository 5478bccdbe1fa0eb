import CallCore
import CallTesting
import Synchronization

/// A simulated call between two peers with random faults, determined by a seed.
///
/// For a minute, messages are lost, duplicated, corrupted, delayed and reordered, sockets, addresses and
/// connections are lost, and media fails or hangs. The call may ring for a simulated user, and each side may
/// hang up or be cancelled at any moment. Four minutes after the last fault, both sides must be connected, or
/// both must have ended.
final class CallSchedule: Sendable {
    private typealias Signal = (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    /// One side of the call: its role, its connection to the room, and its controls.
    private struct Side: Sendable {
        let role: Role
        let end: WireEnd
        let inputs: RoomSession.Inputs = AsyncStream.makeStream()
        let cancellation: Signal = AsyncStream.makeStream()
    }

    private let bench: CallBench
    private let faultPlan: FaultPlan
    private let sides: [Side]
    /// Signals that the call rings for the callee's simulated user.
    private let asked: Signal = AsyncStream.makeStream()
    /// The latest state reported by each side whose call has not ended.
    private let states = Mutex<[Role: CallState]>([:])
    private let problems = Mutex<[String]>([])

    init(seed: UInt64, _ clock: ManualClock) {
        let network = FakeNetwork()
        let faultPlan = FaultPlan(
            seed: seed,
            network: network,
            victims: [.init(username: "Ann", media: "ann"), .init(username: "Bob", media: "bob")]
        )
        var bench = CallBench(
            clock,
            wire: faultPlan.wire,
            network: network,
            caller: faultPlan.script { $0 < 5 },
            callee: faultPlan.script { $0 < 5 }
        )
        bench.callerOptions.peerTimeout = .seconds(100)
        bench.calleeOptions.peerTimeout = .seconds(100)
        bench.callerOptions.retries = [nil, -1, 1, 4][faultPlan.number(in: 0...3)]
        bench.callerOptions.leavesRoom = faultPlan.isTrue()
        bench.calleeOptions.leavesRoom = bench.callerOptions.leavesRoom
        bench.calleeOptions.autoAnswers = faultPlan.isTrue()
        self.bench = bench
        self.faultPlan = faultPlan
        sides = [
            Side(role: .callee, end: bench.wire.join(Participant(username: "Bob", role: .callee))),
            Side(role: .caller, end: bench.wire.join(Participant(username: "Ann", role: .caller))),
        ]
    }

    /// Runs the call and its faults to the end.
    ///
    /// - Returns: the problems found.
    func run() async -> [String] {
        await withTaskGroup { group in
            group.addTask { await self.bench.network.watch(self.bench.clock) }
            group.addTask { await self.bench.wire.deliverLate(self.bench.clock) }
            group.addTask { await self.trouble() }
            group.addTask { await self.decide() }
            await withTaskGroup { calls in
                for side in sides { calls.addTask { await self.live(side) } }
            }
            group.cancelAll()
        }
        return problems.withLock { $0 } + bench.leftovers
    }

    /// Runs the call of one side until it ends or is cancelled.
    private func live(_ side: Side) async {
        await withTaskGroup { group in
            group.addTask {
                let record = await self.bench.call(side.role, at: side.end, commands: side.inputs) {
                    report,
                    _ in
                    guard let state = report.state else { return }
                    self.states.withLock { $0[side.role] = state }
                    if side.role == .callee && state == .ringing { self.asked.continuation.yield() }
                }
                self.check(record, of: side.role)
                side.end.leave()
                side.cancellation.continuation.finish()
            }
            for await _ in side.cancellation.stream { break }
            if !Task.isCancelled { group.cancelAll() }
        }
    }

    /// Simulates the callee's user, who accepts, declines or ignores each call.
    private func decide() async {
        for await _ in asked.stream {
            guard (try? await bench.clock.sleep(for: .seconds(faultPlan.number(in: 0...40)))) != nil else {
                return
            }
            switch faultPlan.number(in: 0...4) {
            case 0...2: command(.accept, .callee)
            case 3: command(.decline, .callee)
            default: break
            }
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

    /// Causes faults for a minute, waits for four more, checks the states and ends the call.
    private func trouble() async {
        let clock = bench.clock
        while clock.now.offset < .seconds(60) {
            let pause = Duration.milliseconds(faultPlan.number(in: 0...15_000))
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            await act()
        }
        bench.wire.heal()
        guard (try? await clock.sleep(for: .seconds(240))) != nil else { return }
        judge(states.withLock { $0 })
        for role in Role.allCases { command(.leave, role) }
    }

    private func judge(_ states: [Role: CallState]) {
        if states.isEmpty || states == [.caller: .connected, .callee: .connected] { return }
        // The caller has unlimited retries, and this server does not report that the callee has left.
        if faultPlan.isSilent && bench.callerOptions.retries == -1 && states[.callee] == nil { return }
        // The callee may ring for ten minutes, and this server does not report that the caller has left.
        if faultPlan.isSilent && states == [.callee: .ringing] { return }
        note("after peace: \(states)")
    }

    private func act() async {
        let side = sides[faultPlan.number(in: 0...1)]
        switch faultPlan.number(in: 0...19) {
        case 0: command(.hangUp, side.role)
        case 1: side.cancellation.continuation.yield()
        default: await faultPlan.causeFault(bench.clock)
        }
    }

    private func command(_ command: CallCommand, _ role: Role) {
        for side in sides where side.role == role { side.inputs.continuation.yield(.command(command)) }
    }
}
