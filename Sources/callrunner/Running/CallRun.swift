internal import CallCore
internal import CallFlow
internal import CallMedia
internal import CallSignaling
internal import Logging
internal import SocketIO

/// One run of the call command: puts signaling, media, window and flow together, and tells what happens.
struct CallRun {
    var plan: CallPlan
    var media: MediaConfiguration
    var signaling: SignalingConfiguration
    var opensWindow = false
    /// Names this run among several in one process.
    var side: String?

    let console: Console
    let events: EventWriter

    /// What a run came to, with the figures of its media.
    struct Result: Sendable {
        var outcome: RunOutcome
        var totals: MediaTotals
        var saved: [SavedRecording]
    }

    /// Runs until the plan is fulfilled or `interruption` holds something.
    ///
    /// - Throws: `WindowError`.
    func run(interruption: StateStore<Interruption?>) async throws -> Result {
        let window = opensWindow ? try await WindowStage.open(title: "callrunner") : nil
        var configuration = media
        configuration.window = window?.sink
        let service = LiveMediaService(configuration: configuration)
        let coordinator = await AppCoordinator(
            plan: plan,
            signaling: LiveSignalingService(signaling, logger: Logger(label: "callrunner.signaling")),
            media: service
        )
        let reporter = Reporter(console: console, events: events, side: side)
        async let told: Void = reporter.report(coordinator.events)
        async let noticed = reporter.report(service.notices)
        let followers = [
            Task {
                for await reason in interruption.states where reason != nil {
                    coordinator.leave()
                    return
                }
            },
            Task { await ScreenFollower(console: console, window: window).follow(coordinator) },
        ]
        var outcome = await coordinator.run()
        await told
        await service.finish()
        for follower in followers {
            follower.cancel()
            await follower.value
        }
        await window?.close()
        console.clear()
        let media = await noticed
        if let failure = media.failure, outcome.error == nil {
            let diagnosis = Diagnosis(failure)
            await reporter.report(diagnosis)
            outcome.error = diagnosis
            outcome.exit = diagnosis.exit
        }
        return Result(outcome: outcome, totals: await service.totals, saved: media.saved)
    }
}
