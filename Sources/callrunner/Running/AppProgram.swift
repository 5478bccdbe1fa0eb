internal import Basics
internal import CallFlow
internal import CallMedia

/// The windowed application, which connects the window, the stored data and the flow of the screens.
struct AppProgram {
    let request: AppRequest
    let surroundings: Surroundings
    let interruption: StateStore<Interruption?>

    private var console: Console { surroundings.console }
    private var events: EventWriter { surroundings.events }

    /// Runs the application until its window is closed.
    ///
    /// - Returns: The exit code.
    func hold() async throws -> Int32 {
        let installation = try Installation(
            pipelines: request.media.pipelines,
            environment: surroundings.environment
        )
        guard let place = request.control else { return try await hold(installation, control: nil) }
        return try await ControlEndpoint.with(place, console: console, events: events) {
            try await hold(installation, control: $0)
        }
    }

    private func hold(_ installation: Installation, control: ControlEndpoint?) async throws -> Int32 {
        var window = try await openWindow()
        for warning in await window.warnings { console.say(warning, .failure) }
        let services = LiveAppServices(
            request: request,
            installation: installation,
            window: window.sink,
            console: console,
            events: events
        )
        window.changeVolume = { await services.changeVolume(isLouder: $0) }
        let memory = LiveAppMemory(environment: surroundings.environment) { [console] in
            console.say($0, .failure)
        }
        let flow = await CallsFlow(
            services: services,
            memory: memory,
            server: request.server,
            token: request.token
        )
        services.onSourceCaption { flow.show($0) }
        let closing = ClosingLimit()
        let failed = RunStatus.mediaFailed.rawValue
        let outcome = await closing.during(console, events, exit: { interruption.state?.exit ?? failed }) {
            let bell = Bell { await services.ring(flow.settings.store.state.settings) }
            return await run(flow, window, control, bell, closing)
        }
        await window.close(console, events)
        let exit = interruption.state?.exit ?? outcome.exit.rawValue
        let result = CallRun.Result(outcome: outcome, totals: services.totals, saved: [])
        await events.write("summary", Summary(result).fields(exit: exit))
        return exit
    }

    private func openWindow() async throws(Failure) -> WindowController {
        do { return try await WindowController.open(title: "callrunner") } catch {
            throw Failure(error, instead: AppRequest.withoutDisplay)
        }
    }

    private func run(
        _ flow: CallsFlow,
        _ window: WindowController,
        _ control: ControlEndpoint?,
        _ bell: Bell,
        _ closing: ClosingLimit
    ) async -> RunOutcome {
        async let reported: Void = Reporter(console: console, events: events)
            .report(flow.events, whenSignalingIsLost: {})
        let outcome = await withTaskGroup { group in
            group.addTask {
                for await reason in interruption.states where reason != nil {
                    closing.begin()
                    flow.leave()
                    return
                }
            }
            group.addTask {
                // The user closed the window, or the run ended for another reason.
                for await isQuitting in flow.router.isQuitting.states where isQuitting {
                    return closing.begin()
                }
            }
            group.addTask { await ScreenFollower(console: console, window: window).follow(flow) }
            group.addTask { await bell.follow(flow.screens) }
            group.addTask { await window.follow(DesktopAppearance(environment: surroundings.environment)) }
            if let control { group.addTask { await control.serve(flow) } }
            let outcome = await flow.run()
            closing.begin()
            group.cancelAll()
            return outcome
        }
        await reported
        return outcome
    }
}
