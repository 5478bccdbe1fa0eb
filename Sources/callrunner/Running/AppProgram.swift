internal import AppFlow
internal import Basics
internal import CallMedia
internal import GLibKit
internal import LiveCore
internal import LiveMedia
internal import MediaKit
internal import WindowKit

/// The windowed application, which connects the window, the stored data and the shell.
struct AppProgram {
    let request: AppRequest
    let surroundings: Surroundings
    let interruption: StateStore<Interruption?>

    private var console: Console { surroundings.console }
    private var events: EventWriter { surroundings.events }

    /// Runs the application until its window is closed, or until the run ends for another reason, for example
    /// a signal.
    ///
    /// - Returns: The exit code.
    func hold() async throws -> Int32 {
        let installation = try Installation(
            pipelines: request.media.pipelines,
            environment: surroundings.environment
        )
        guard !request.showsGallery else { return try await showGallery() }
        guard let place = request.control else { return try await hold(installation, control: nil) }
        return try await ControlEndpoint.with(place, console: console, events: events) {
            try await hold(installation, control: $0)
        }
    }

    private func hold(_ installation: Installation, control: ControlEndpoint?) async throws -> Int32 {
        let starter = PlayerCommand.starter(installation)
        await starter.prepare()
        let window = try await openWindow()
        for warning in await window.warnings { console.say(warning, .failure) }
        let services = LiveAppServices(
            request: request,
            installation: installation,
            window: window.sink,
            surroundings: surroundings
        )
        let memory = LiveAppMemory(environment: surroundings.environment) { [console] in
            console.say($0, .failure)
        }
        let small = SmallWindow(insteadOf: window.liveSink, surroundings)
        let shell = await AppShell(
            services: services,
            memory: memory,
            recordings: RecordingArchive(
                environment: surroundings.environment,
                library: installation.library,
                limit: request.media.decodingLimit
            ),
            server: request.server,
            token: request.token,
            volume: request.media.audio.volume,
            player: await player(showing: small, starter),
            soundPlayer: await soundPlayer(showing: window.conversationSink, starter),
            hasAccount: true,
            hasChat: true,
            opening: request.opening
        )
        services.onSourceCaption { shell.calls.show($0) }
        let closing = ClosingLimit()
        let failed = RunStatus.mediaFailed.rawValue
        let outcome = await closing.during(console, events, exit: { interruption.state?.exit ?? failed }) {
            async let serving: Void = services.server.run()
            let bell = Bell {
                let settings = shell.settings.model.store.state.settings
                await services.ring(settings, volume: shell.calls.controls.state.volume)
            }
            let outcome = await run(shell, window, small, control, bell, closing)
            services.server.stop()
            await serving
            return outcome
        }
        await window.close(console, events)
        let exit = interruption.state?.exit ?? outcome.exit.rawValue
        let result = CallRun.Result(outcome: outcome, totals: services.totals, saved: [])
        await events.write("summary", Summary(result).fields(exit: exit))
        return exit
    }

    /// Finds the requested loudspeaker; nil if it does not exist.
    ///
    /// In that case, streams and conversations are silent; only calls report the problem.
    private func speaker() async -> AudioDevice? {
        let system = SoundCard.system(.playback, surroundings.environment)
        return try? await AudioDevice.find(request.media.audio.speaker, .playback, on: system)
    }

    /// Creates the player of the audio and video in conversations.
    private func soundPlayer(showing sink: any VideoSink, _ starter: PlayerStarter) async -> LivePlayer {
        let output = LiveOutput(
            show: { sink.show($0, from: .remote) },
            isSeen: { sink.isSeen },
            height: { sink.shownHeight },
            speaker: await speaker(),
            takesSelectedSpeaker: request.media.audio.speaker == .automatic
        )
        return LivePlayer(SeparatePlayer(output, starter), options: LiveOptions(loops: false))
    }

    /// Creates the player of live streams, whose sound is off until the user turns it on.
    private func player(showing sink: SmallWindow, _ starter: PlayerStarter) async -> LivePlayer {
        let output = LiveOutput(
            show: { sink.show($0, from: .remote) },
            isSeen: { sink.isSeen },
            height: { sink.shownHeight },
            speaker: await speaker(),
            takesSelectedSpeaker: request.media.audio.speaker == .automatic
        )
        return LivePlayer(
            SeparatePlayer(output, starter),
            options: LiveOptions(audio: LiveAudio(isMuted: true))
        )
    }

    /// Shows the gallery until its window is closed or a signal arrives.
    private func showGallery() async throws -> Int32 {
        let window = try await openWindow()
        await window.showGallery()
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await reason in interruption.states where reason != nil { return true }
                return false
            }
            group.addTask {
                await window.closed()
                return true
            }
            group.addTask {
                await window.follow(DesktopAppearance(environment: surroundings.environment))
                return false
            }
            for await isOver in group where isOver { break }
            group.cancelAll()
        }
        await window.close(console, events)
        return interruption.state?.exit ?? RunStatus.success.rawValue
    }

    /// Adapts a failure for the app, which has none of the flags of calls.
    static func withoutFlags(_ diagnosis: Diagnosis) -> Diagnosis {
        var adapted = diagnosis
        let parts = diagnosis.hint.split(separator: "; ").filter { !$0.contains("--") }
        if !parts.isEmpty { adapted.hint = parts.joined(separator: "; ") }
        return adapted
    }

    private func openWindow() async throws(Failure) -> WindowController {
        do { return try await WindowController.open(title: "callrunner", style: .portrait) } catch {
            throw Failure(error, instead: AppRequest.withoutDisplay)
        }
    }

    private func run(
        _ shell: AppShell,
        _ window: WindowController,
        _ small: SmallWindow,
        _ control: ControlEndpoint?,
        _ bell: Bell,
        _ closing: ClosingLimit
    ) async -> RunOutcome {
        async let reported: Void = Reporter(console: console, events: events, adapt: Self.withoutFlags)
            .report(shell.calls.events, whenSignalingIsLost: {})
        let outcome = await withTaskGroup { group in
            group.addTask {
                for await reason in interruption.states where reason != nil {
                    closing.begin()
                    shell.quit()
                    return
                }
            }
            group.addTask {
                // The user closed the window, or the run ended for another reason.
                for await isQuitting in shell.isQuitting.states where isQuitting {
                    return closing.begin()
                }
            }
            group.addTask {
                await ScreenFollower(console: console, window: window).follow(shell.calls, shell)
            }
            group.addTask { await bell.follow(shell.calls.screens) }
            if let rings = shell.chatCalls?.ring { group.addTask { await bell.follow(rings.states) } }
            group.addTask { await window.follow(DesktopAppearance(environment: surroundings.environment)) }
            if let player = shell.live?.player {
                group.addTask {
                    for await event in player.events {
                        let (name, fields) = event.json
                        await events.write(name, fields)
                    }
                }
                group.addTask { for await _ in NetworkMonitor() { player.networkChanged() } }
            }
            if let live = shell.live?.model.live {
                group.addTask { await small.follow(live, shell.settings.model) }
            }
            if let control { group.addTask { await control.serve(shell.calls) } }
            let outcome = await shell.run()
            closing.begin()
            group.cancelAll()
            return outcome
        }
        await reported
        return outcome
    }
}
