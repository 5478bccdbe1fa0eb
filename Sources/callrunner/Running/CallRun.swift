internal import AppFlow
internal import Basics
internal import CallCore
internal import CallMedia
internal import CallSignaling
internal import CallWindow
internal import FoundationEssentials
internal import Logging
internal import MediaKit
internal import WindowKit

/// One run of the call command, which connects signaling, media and window, and reports their events.
struct CallRun {
    var plan: CallPlan
    var media: MediaConfiguration
    var signaling: SignalingConfiguration
    var presentation = Presentation.headless
    /// The role of the run in a demo, `caller` or `callee`; nil outside of a demo.
    var side: String?
    /// The room of the call if there are several calls in the process; otherwise nil.
    var call: RoomID?
    /// The measurements that the events update, if any.
    var measures: CallMeasures?

    let console: Console
    let events: EventWriter
    /// The dump folder for a bug report about the run, if any.
    var dump: DumpFolder?
    /// The publication of the call as a live stream, if any.
    var publication: CallPublication?
    /// The control endpoint, if any.
    var control: ControlEndpoint?
    /// The console that shows the live line; nil if `console` shows it.
    var liveConsole: Console?
    var whenSignalingIsLost: @Sendable () -> Void = {}
    /// Adapts the remedies of failures to the way in which the program was started.
    var adapt: @Sendable (Diagnosis) -> Diagnosis = { $0 }

    /// The result of a run, with the totals of its media.
    struct Result: Sendable {
        var outcome: RunOutcome
        var totals: MediaTotals
        var saved: [SavedRecording]
        /// The kinds of media that the source has; empty if it never opened.
        var sends: Set<MediaKind> = []
    }

    /// Runs until the plan is fulfilled or has failed, the user or a control command ends the run, or
    /// `interruption` is set.
    ///
    /// The time limit `closing` starts when the run is over and its resources are being closed.
    /// - Throws: `WindowError` if a required window cannot be opened.
    func run(interruption: StateStore<Interruption?>, closing: ClosingLimit) async throws -> Result {
        let window = try await WindowController.open(presentation, for: "call", console)
        for warning in await window?.warnings ?? [] { console.say(warning, .failure) }
        var configuration = media
        configuration.window = window?.sink
        configuration.output = await publication?.publisher(configuration)
        let signaling = signalingThatTellsMisses()
        let service = LiveMediaService(configuration: configuration)
        let flow = await CallsFlow(
            plan: plan,
            signaling: LiveSignalingService(signaling, logger: Logger(label: "callrunner.signaling")),
            media: service,
            volume: media.audio.volume
        )
        let reporter = Reporter(
            console: console,
            events: events,
            side: side,
            call: call,
            measures: measures,
            dump: dump,
            adapt: adapt,
            sourceLine: SourceLine(),
            showSource: { flow.show($0) }
        )
        let isReported = StateStore(false)
        async let reported: Void = {
            await reporter.report(flow.events, whenSignalingIsLost: whenSignalingIsLost)
            isReported.finish()
        }()
        async let publishFailure = publication?.report()
        async let noticed = reporter.report(service.notices, closing: closing, after: isReported)
        var outcome = await withTaskGroup { group in
            group.addTask {
                for await reason in interruption.states where reason != nil {
                    closing.begin()
                    flow.leave()
                    return
                }
            }
            group.addTask { [window] in
                await ScreenFollower(console: liveConsole ?? console, window: window).follow(flow)
            }
            group.addTask { [window] in
                await window?.follow(DesktopAppearance(environment: ProcessInfo.processInfo.environment))
            }
            if let control { group.addTask { await control.serve(flow) } }
            let outcome = await flow.run()
            // Source and recordings are closed first, because the reader of standard output may be slow.
            closing.begin()
            await service.finish()
            publication?.finish()
            group.cancelAll()
            return outcome
        }
        await window?.close(console, events)
        await reported
        let (notices, totals) = (await noticed, await service.totals)
        let failure = notices.failure.map { Diagnosis($0) }
        let unpublished = await publishFailure
        let verdict = failure ?? verdict(outcome, totals, notices, interruption.state) ?? unpublished
        if outcome.error == nil, let verdict {
            await reporter.report(verdict)
            outcome.fail(verdict)
        }
        return Result(outcome: outcome, totals: totals, saved: notices.saved, sends: notices.sends)
    }

    /// Returns the signaling configuration, extended to report the first failed attempt to connect.
    private func signalingThatTellsMisses() -> SignalingConfiguration {
        var signaling = signaling
        let (console, limit) = (console, DurationText(signaling.serverTimeout))
        let server = "\(call.map { "room \($0): " } ?? "")\(signaling.shownURL)"
        signaling.whenMissed = { reason in
            console.say("\(server) cannot be reached: \(reason); trying again for up to \(limit)", .failure)
        }
        return signaling
    }

    /// Returns the failure that the final check of the run finds, if any.
    ///
    /// A run in a demo is not checked. Neither is an interrupted run, unless the reader of standard output closed it
    /// after media was exchanged.
    private func verdict(
        _ outcome: RunOutcome,
        _ totals: MediaTotals,
        _ notices: Reporter.Noticed,
        _ interruption: Interruption?
    ) -> Diagnosis? {
        guard side == nil, interruption == nil || interruption == .readerLeft && outcome.wasHeld else {
            return nil
        }
        return RunVerdict(
            outcome: outcome,
            call: totals.lastCall,
            missing: media.files(missingAt: notices.empty),
            duration: plan.options.duration
        ).diagnosis
    }
}
