import AppFlow
import CallCore
import CallTesting
import Synchronization

/// A simulation of two runs that stay in the room after calls, with random faults determined by a seed.
///
/// For four minutes, the faults of a `FaultPlan` occur, simulated users hang up, accept or decline, and runs
/// are ended or cancelled and replaced by new ones. Twenty minutes after the last fault, both sides must be
/// in a connected call, or wait because a user ended the last one.
final class RoomSchedule: Sendable {
    private typealias Signal = (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    /// The current run of one side and its reports.
    private struct SideState {
        var flow: CallsFlow?
        /// The view model of the call screen; nil while no call is shown.
        var call: CallViewModel?
        var cancellation: AsyncStream<Void>.Continuation?
        /// Whether the simulation has ended or cancelled the current run.
        var isDismissed = false
        /// The number of runs so far, including the current one.
        var lives = 0
        var record = RoomRecord()
        /// The state of the call that was reported last.
        var state: CallState?
        /// The number of runs of the other side when the last call ended.
        var livesOfPeer = 0
    }

    private static let trouble = Duration.seconds(240)
    private static let peace = Duration.seconds(1200)

    private let clock: ManualClock
    private let faultPlan: FaultPlan
    private let bench: FlowBench
    private let media: [Role: FakeMedia]
    private let plans: [Role: CallPlan]
    private let sideStates = Mutex<[Role: SideState]>([:])
    /// Signals that the call rings for the callee's simulated user.
    private let asked: Signal = AsyncStream.makeStream()
    private let isOver = Mutex(false)
    private let problems = Mutex<[String]>([])

    init(seed: UInt64, _ clock: ManualClock) throws {
        self.clock = clock
        let network = FakeNetwork()
        let faultPlan = FaultPlan(
            seed: seed,
            network: network,
            victims: [.init(username: "Ann", media: "caller"), .init(username: "Bob", media: "callee")]
        )
        self.faultPlan = faultPlan
        let bench = FlowBench(clock, wire: faultPlan.wire, network: network)
        self.bench = bench
        var plan = try bench.plan(.caller) { $0.stays = true }
        plan.options.retries = [nil, -1, 0, 1, 4][faultPlan.number(in: 0...4)]
        plan.calls = faultPlan.number(in: 1...3)
        plan.pause = .seconds(faultPlan.number(in: 0...10))
        let asks = faultPlan.isTrue()
        plans = [
            .caller: plan,
            .callee: try bench.plan(.callee) { plan in
                plan.stays = true
                plan.options.autoAnswers = !asks
            },
        ]
        var media: [Role: FakeMedia] = [:]
        for role in Role.allCases {
            let script = faultPlan.script { _ in clock.now.offset < Self.trouble }
            media[role] = bench.media(role, script: script)
        }
        self.media = media
    }

    /// Runs both sides and the faults to the end.
    ///
    /// - Returns: the problems found.
    func run() async -> [String] {
        await withTaskGroup { group in
            group.addTask { await self.faultPlan.network.watch(self.clock) }
            group.addTask { await self.faultPlan.wire.deliverLate(self.clock) }
            group.addTask { await self.direct() }
            group.addTask { await self.decide() }
            await withTaskGroup { runs in
                for role in Role.allCases { runs.addTask { await self.live(role) } }
            }
            group.cancelAll()
        }
        return problems.withLock { $0 } + faultPlan.network.faults
    }

    private func note(_ problem: String) { problems.withLock { $0.append(problem) } }

    private func sideState(_ role: Role) -> SideState { sideStates.withLock { $0[role] ?? SideState() } }

    private func change(_ role: Role, _ change: (inout SideState) -> Void) {
        sideStates.withLock { change(&$0[role, default: SideState()]) }
    }
}

// MARK: - Runs

extension RoomSchedule {
    /// Performs one run of a side after another until the simulation ends.
    private func live(_ role: Role) async {
        guard let plan = plans[role], let media = media[role] else { return }
        while !isOver.withLock({ $0 }) {
            let flow = await CallsFlow(
                plan: plan,
                signaling: faultPlan.wire,
                media: media,
                clock: clock
            )
            let outcome = await hold(flow, role)
            let sideState = sideState(role)
            for problem in sideState.record.problems(of: outcome) { note("\(role) \(problem)") }
            if !sideState.isDismissed { note("\(role) ended by itself: \(outcome)") }
            if media.open > 0 { note("\(role) has an open connection behind its end") }
            try? await clock.sleep(for: .milliseconds(faultPlan.number(in: 0...20_000)))
        }
    }

    private func hold(_ flow: CallsFlow, _ role: Role) async -> RunOutcome {
        let cancellation: Signal = AsyncStream.makeStream()
        change(role) { sideState in
            sideState.flow = flow
            sideState.cancellation = cancellation.continuation
            sideState.isDismissed = false
            sideState.lives += 1
            sideState.record = RoomRecord()
        }
        async let outcome = run(flow, until: cancellation)
        async let followed: Void = follow(flow.screens, role)
        for await event in flow.events { handle(event, role) }
        await followed
        return await outcome
    }

    private func run(_ flow: CallsFlow, until cancellation: Signal) async -> RunOutcome {
        await withTaskGroup { group in
            group.addTask {
                let outcome = await flow.run()
                cancellation.continuation.finish()
                return outcome
            }
            for await _ in cancellation.stream { break }
            group.cancelAll()
            return await group.next() ?? RunOutcome()
        }
    }

    private func follow(_ screens: AsyncStream<CallsScreen>, _ role: Role) async {
        for await screen in screens {
            var call: CallViewModel?
            if case .call(let model) = screen { call = model }
            change(role) { $0.call = call }
        }
    }

    private func handle(_ event: FlowEvent, _ role: Role) {
        let livesOfPeer = sideState(role.opposite).lives
        change(role) { sideState in
            sideState.record.handle(event)
            guard case .call(let report) = event else { return }
            if case .state(let state) = report { sideState.state = state }
            if case .ended = report { sideState.livesOfPeer = livesOfPeer }
        }
        if role == .callee, case .call(.state(.ringing)) = event { asked.continuation.yield() }
    }
}

// MARK: - Faults and people

extension RoomSchedule {
    private func direct() async {
        while clock.now.offset < Self.trouble {
            let pause = Duration.milliseconds(faultPlan.number(in: 0...15_000))
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            await act()
        }
        faultPlan.wire.heal()
        guard (try? await clock.sleep(for: Self.peace)) != nil else { return }
        judge(sideState(.caller), sideState(.callee))
        isOver.withLock { $0 = true }
        for role in Role.allCases { leave(role) }
    }

    private func act() async {
        let role = faultPlan.isTrue() ? Role.caller : .callee
        switch faultPlan.number(in: 0...24) {
        case 0: sideState(role).call?.send(.hangUp)
        case 1: leave(role)
        case 2:
            change(role) { $0.isDismissed = true }
            sideState(role).cancellation?.yield()
        default: await faultPlan.causeFault(clock)
        }
    }

    private func leave(_ role: Role) {
        change(role) { $0.isDismissed = true }
        sideState(role).flow?.leave()
    }

    /// Simulates the callee's user, who accepts each call or, while faults occur, may decline or ignore it.
    private func decide() async {
        for await _ in asked.stream {
            let span = Duration.seconds(faultPlan.number(in: 0...20))
            guard (try? await clock.sleep(for: span)) != nil else { return }
            let call = sideState(.callee).call
            switch faultPlan.number(in: 0...4) {
            case 3 where clock.now.offset < Self.trouble: call?.send(.decline)
            case 4 where clock.now.offset < Self.trouble: break
            default: call?.send(.accept)
            }
        }
    }

    private func judge(_ caller: SideState, _ callee: SideState) {
        if caller.state == .connected && callee.state == .connected { return }
        let isIdle = caller.call == nil && callee.call == nil
        if isIdle && endedByPerson(caller, callee) { return }
        let states = [caller, callee].map { $0.state?.name ?? "none" }
        note(
            "after peace, \(faultPlan.isSilent ? "silent" : "told"): \(states), last ends \(caller.record.ends), \(callee.record.ends)"
        )
    }

    /// Returns whether the caller waits for its peer to rejoin, as a user ended or ignored the last call.
    private func endedByPerson(_ caller: SideState, _ callee: SideState) -> Bool {
        guard caller.record.ends.count >= plans[.caller]?.calls ?? 1 else { return false }
        switch caller.record.ends.last {
        case .hungUp, .declined, .timedOut(.answer): return caller.livesOfPeer == callee.lives
        default: return false
        }
    }
}
