import CallCore
import CallTesting

import AppFlow

/// The outcome and all events of a flow's run.
struct FlowRecord: Sendable {
    var outcome: RunOutcome
    var events: [FlowEvent]

    var states: [String] {
        events.compactMap { if case .call(.state(let state)) = $0 { state.name } else { nil } }
    }

    var attempts: [String] {
        events.compactMap { event in
            guard case .call(.started(_, let attempt, let isBlind)) = event else { return nil }
            return "\(attempt)\(isBlind ? " blind" : "")"
        }
    }

    var ends: [CallEnd] {
        events.compactMap { if case .call(.ended(let summary)) = $0 { summary.end } else { nil } }
    }

    var errors: [Diagnosis] {
        events.compactMap { if case .error(let diagnosis) = $0 { diagnosis } else { nil } }
    }
}

/// The clock, and the simulated network and signaling server, for runs of two command-line clients.
struct FlowBench: Sendable {
    typealias Script = @Sendable (Int) -> FakeMedia.Script

    let clock: any Clock<Duration>
    let network: FakeNetwork
    let wire: Wire

    init(_ clock: any Clock<Duration>, wire: Wire = Wire(), network: FakeNetwork = FakeNetwork()) {
        self.clock = clock
        self.network = network
        self.wire = wire
    }

    func plan(_ role: Role, _ change: (inout CallPlan) -> Void = { _ in }) throws -> CallPlan {
        let identity = Identity(
            username: try Username(role == .caller ? "Ann" : "Bob"),
            room: try RoomID(1)
        )
        var plan = CallPlan(identity: identity, role: role)
        change(&plan)
        return plan
    }

    func media(
        _ role: Role,
        preparation: FakeMedia.Script.Step = .works,
        script: @escaping Script = { _ in .init() }
    ) -> FakeMedia {
        FakeMedia(
            name: role.rawValue,
            network: network,
            clock: clock,
            preparation: preparation,
            script: script
        )
    }

    /// Runs a command-line client that stays in the room after calls, and ends it after `span`.
    func stay(
        _ role: Role,
        for span: Duration,
        script: @escaping Script = { _ in .init() },
        _ change: (inout CallPlan) -> Void = { _ in }
    ) async throws -> FlowRecord {
        let plan = try plan(role) { plan in
            plan.stays = true
            change(&plan)
        }
        return await run(plan, media: media(role, script: script)) { flow, clock in
            try? await clock.sleep(for: span)
            flow.leave()
        }
    }

    /// Runs a command-line client to its end, while `steer` controls it.
    func run(
        _ plan: CallPlan,
        media: FakeMedia,
        signaling: (any SignalingService)? = nil,
        steer: @escaping @Sendable (CallsFlow, any Clock<Duration>) async -> Void = { _, _ in }
    ) async -> FlowRecord {
        let flow = await CallsFlow(
            plan: plan,
            signaling: signaling ?? wire,
            media: media,
            clock: clock
        )
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await steer(flow, clock) }
            async let running = flow.run()
            var events: [FlowEvent] = []
            for await event in flow.events { events.append(event) }
            group.cancelAll()
            return FlowRecord(outcome: await running, events: events)
        }
    }
}

extension FakeMedia.Script {
    static func with(_ change: (inout FakeMedia.Script) -> Void) -> FakeMedia.Script {
        var script = FakeMedia.Script()
        change(&script)
        return script
    }
}
