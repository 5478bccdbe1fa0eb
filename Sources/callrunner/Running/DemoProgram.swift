internal import AppFlow
internal import Basics
internal import CallCore
internal import CallSignaling

/// The runs of the caller and the callee of a demo.
struct DemoProgram {
    private let plan: DemoPlan
    private let url: String
    private let surroundings: Surroundings
    private let interruption: StateStore<Interruption?>
    private let closing: ClosingLimit

    init(
        _ plan: DemoPlan,
        _ url: String,
        _ surroundings: Surroundings,
        _ interruption: StateStore<Interruption?>,
        _ closing: ClosingLimit
    ) {
        (self.plan, self.url, self.surroundings) = (plan, url, surroundings)
        (self.interruption, self.closing) = (interruption, closing)
    }

    /// Runs the caller or the callee until the call is over.
    func hold(_ role: Role) async throws -> CallRun.Result {
        let console = surroundings.console
        var run = CallRun(
            plan: try plan.callPlan(role),
            media: plan.media(role),
            signaling: SignalingConfiguration(serverURL: url),
            side: role.rawValue,
            console: console.level == .verbose ? console : Console(level: .silent),
            events: surroundings.events
        )
        if role == .caller { run.liveConsole = console }
        let result = try await run.run(interruption: interruption, closing: closing)
        // Without this side, the peer can have no call, so the peer ends now instead of waiting for its
        // timeout.
        if result.outcome.error != nil { interruption.update { $0 = $0 ?? .pointless } }
        return result
    }
}
