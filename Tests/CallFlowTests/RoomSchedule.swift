import CallCore
import CallFlow
import CallTesting
import Synchronization

/// Two runs that stay, call after call under seeded misfortune, and what is wrong with how they went.
///
/// For four minutes what `FaultPlan` knows goes wrong, persons hang up, answer or decline, and a run is left or
/// cancelled and another one started in its place. Then all is well, and twenty minutes later both are in a connected
/// call, or wait where a person has ended the last one.
final class RoomSchedule: Sendable {
    private typealias Signal = (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    /// How a side stands.
    private struct Standing {
        var coordinator: AppCoordinator?
        /// The screen, where it is a call's.
        var call: CallViewModel?
        var cancellation: AsyncStream<Void>.Continuation?
        /// Whether somebody has ended the run.
        var isDismissed = false
        /// How many runs there have been.
        var lives = 0
        var record = RoomRecord()
        /// What it told last.
        var state: CallState?
        /// How many runs the other side had had when the last call ended.
        var livesOfPeer = 0
    }

    private static let trouble = Duration.seconds(240)
    private static let peace = Duration.seconds(1200)

    private let clock: ManualClock
    private let misfortune: FaultPlan
    private let bench: FlowBench
    private let media: [Role: FakeMedia]
    private let plans: [Role: CallPlan]
    private let standings = Mutex<[Role: Standing]>([:])
    /// A person is asked whether to answer.
    private let asked: Signal = AsyncStream.makeStream()
    private let isOver = Mutex(false)
    private let problems = Mutex<[String]>([])

    init(seed: UInt64, _ clock: ManualClock) throws {
        self.clock = clock
        let network = FakeNetwork()
        let misfortune = FaultPlan(
            seed: seed,
            network: network,
            victims: [.init(username: "Ann", media: "caller"), .init(username: "Bob", media: "callee")]
        )
        self.misfortune = misfortune
        let bench = FlowBench(clock, wire: misfortune.wire, network: network)
        self.bench = bench
        var plan = try bench.plan(.caller) { $0.stays = true }
        plan.options.retries = [nil, -1, 0, 1, 4][misfortune.number(in: 0...4)]
        plan.calls = misfortune.number(in: 1...3)
        plan.pause = .seconds(misfortune.number(in: 0...10))
        let asks = misfortune.isTrue()
        plans = [
            .caller: plan,
            .callee: try bench.plan(.callee) { plan in
                plan.stays = true
                plan.options.autoAnswers = !asks
            },
        ]
        var media: [Role: FakeMedia] = [:]
        for role in Role.allCases {
            let script = misfortune.script { _ in clock.now.offset < Self.trouble }
            media[role] = bench.media(role, script: script)
        }
        self.media = media
    }

    /// Everything that is wrong; nothing, that is.
    func run() async -> [String] {
        await withTaskGroup { group in
            group.addTask { await self.misfortune.network.watch(self.clock) }
            group.addTask { await self.misfortune.wire.deliverLate(self.clock) }
            group.addTask { await self.direct() }
            group.addTask { await self.decide() }
            await withTaskGroup { runs in
                for role in Role.allCases { runs.addTask { await self.live(role) } }
            }
            group.cancelAll()
        }
        return problems.withLock { $0 } + misfortune.network.faults
    }

    private func note(_ problem: String) { problems.withLock { $0.append(problem) } }

    private func standing(_ role: Role) -> Standing { standings.withLock { $0[role] ?? Standing() } }

    private func change(_ role: Role, _ change: (inout Standing) -> Void) {
        standings.withLock { change(&$0[role, default: Standing()]) }
    }
}

// MARK: - Runs

extension RoomSchedule {
    /// One run after another.
    private func live(_ role: Role) async {
        guard let plan = plans[role], let media = media[role] else { return }
        while !isOver.withLock({ $0 }) {
            let coordinator = await AppCoordinator(
                plan: plan,
                signaling: misfortune.wire,
                media: media,
                clock: clock
            )
            let outcome = await hold(coordinator, role)
            let standing = standing(role)
            for problem in standing.record.problems(of: outcome) { note("\(role) \(problem)") }
            if !standing.isDismissed { note("\(role) ended by itself: \(outcome)") }
            if media.open > 0 { note("\(role) has an open connection behind its end") }
            try? await clock.sleep(for: .milliseconds(misfortune.number(in: 0...20_000)))
        }
    }

    private func hold(_ coordinator: AppCoordinator, _ role: Role) async -> RunOutcome {
        let cancellation: Signal = AsyncStream.makeStream()
        change(role) { standing in
            standing.coordinator = coordinator
            standing.cancellation = cancellation.continuation
            standing.isDismissed = false
            standing.lives += 1
            standing.record = RoomRecord()
        }
        async let outcome = run(coordinator, until: cancellation)
        async let followed: Void = follow(coordinator.screens, role)
        for await event in coordinator.events { handle(event, role) }
        await followed
        return await outcome
    }

    private func run(_ coordinator: AppCoordinator, until cancellation: Signal) async -> RunOutcome {
        await withTaskGroup { group in
            group.addTask {
                let outcome = await coordinator.run()
                cancellation.continuation.finish()
                return outcome
            }
            for await _ in cancellation.stream { break }
            group.cancelAll()
            return await group.next() ?? RunOutcome()
        }
    }

    private func follow(_ screens: AsyncStream<Screen>, _ role: Role) async {
        for await screen in screens {
            var call: CallViewModel?
            if case .call(let model) = screen { call = model }
            change(role) { $0.call = call }
        }
    }

    private func handle(_ event: FlowEvent, _ role: Role) {
        let livesOfPeer = standing(role.opposite).lives
        change(role) { standing in
            standing.record.handle(event)
            guard case .call(let report) = event else { return }
            if case .state(let state) = report { standing.state = state }
            if case .ended = report { standing.livesOfPeer = livesOfPeer }
        }
        if role == .callee, case .call(.state(.ringing)) = event { asked.continuation.yield() }
    }
}

// MARK: - What happens to them

extension RoomSchedule {
    private func direct() async {
        while clock.now.offset < Self.trouble {
            let pause = Duration.milliseconds(misfortune.number(in: 0...15_000))
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            await act()
        }
        misfortune.wire.heal()
        guard (try? await clock.sleep(for: Self.peace)) != nil else { return }
        judge(standing(.caller), standing(.callee))
        isOver.withLock { $0 = true }
        for role in Role.allCases { leave(role) }
    }

    private func act() async {
        let role = misfortune.isTrue() ? Role.caller : .callee
        switch misfortune.number(in: 0...24) {
        case 0: standing(role).call?.send(.hangUp)
        case 1: leave(role)
        case 2:
            change(role) { $0.isDismissed = true }
            standing(role).cancellation?.yield()
        default: await misfortune.strike(clock)
        }
    }

    private func leave(_ role: Role) {
        change(role) { $0.isDismissed = true }
        standing(role).coordinator?.leave()
    }

    /// The person answers, and while there is trouble declines, or does neither.
    private func decide() async {
        for await _ in asked.stream {
            let span = Duration.seconds(misfortune.number(in: 0...20))
            guard (try? await clock.sleep(for: span)) != nil else { return }
            let call = standing(.callee).call
            switch misfortune.number(in: 0...4) {
            case 3 where clock.now.offset < Self.trouble: call?.send(.decline)
            case 4 where clock.now.offset < Self.trouble: break
            default: call?.send(.accept)
            }
        }
    }

    private func judge(_ caller: Standing, _ callee: Standing) {
        if caller.state == .connected && callee.state == .connected { return }
        let isIdle = caller.call == nil && callee.call == nil
        if isIdle && endedByPerson(caller, callee) { return }
        let states = [caller, callee].map { $0.state?.name ?? "none" }
        note(
            "after peace, \(misfortune.isSilent ? "silent" : "told"): \(states), last ends \(caller.record.ends), \(callee.record.ends)"
        )
    }

    /// Whether the caller waits for its peer to leave and return, because a person wanted no call, or did not answer.
    private func endedByPerson(_ caller: Standing, _ callee: Standing) -> Bool {
        guard caller.record.ends.count >= plans[.caller]?.calls ?? 1 else { return false }
        switch caller.record.ends.last {
        case .hungUp, .declined, .timedOut(.answer): return caller.livesOfPeer == callee.lives
        default: return false
        }
    }
}
