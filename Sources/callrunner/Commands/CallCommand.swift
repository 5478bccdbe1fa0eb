internal import ArgumentParser
internal import CallCore
internal import CallFlow
internal import CallMedia
internal import CallWindow
internal import Logging
internal import SocketIO

/// Joins a room and is in the call.
struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Join a room and be in the call (the default command).",
        discussion: """
            A caller dials as soon as its peer is in the room; a callee answers.

            EXAMPLES
              callrunner --room 1 --caller
              callrunner --room 1 --record call.mkv --duration 10s --json
              callrunner --room 1 --source film.mp4 --headless --peer-timeout 30s

            EXIT CODES
              0 a call was held    2 a deadline ran out    3 media failed    4 signaling failed
              5 the recording failed    64 wrong usage    130, 143 interrupted
            """
    )

    @OptionGroup(title: "Call") var flags: CallFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        let console = output.console(environment: flags.environment)
        let events = EventWriter(isEnabled: output.json)
        LogSetup.start(verbose: output.verbose)
        let watch = InterruptionWatch()
        let exit = await watch.during(events) { await run(console, events, watch.store) }
        throw ExitCode(watch.store.state?.exit ?? exit)
    }

    /// - Returns: the exit code, an interruption aside.
    private func run(
        _ console: Console,
        _ events: EventWriter,
        _ interruption: StateStore<Interruption?>
    ) async -> Int32 {
        do {
            let installation = try Installation(pipelines: flags.pipelines, environment: flags.environment)
            let media = try flags.media(installation)
            let server = EmbeddedServer(named: flags.serverURL, logger: Logger(label: "callrunner.server"))
            let result = try await server.withServer { url in
                console.say("no server was listening, so this process serves \(url) until it ends")
                await events.write("server.listening", ["url": .string(url)])
            } _: { url in
                let run = CallRun(
                    plan: try flags.plan(),
                    media: media,
                    signaling: flags.signaling(url: url),
                    opensWindow: flags.opensWindow,
                    console: console,
                    events: events
                )
                return try await run.run(interruption: interruption)
            }
            await Summary(result).tell(console, events, interruptedWith: interruption.state?.exit)
            return result.outcome.exit.rawValue
        } catch {
            let failure = Failure(error)
            console.fail(failure.message, hint: failure.hint)
            await events.write("error", failure.fields)
            await events.write("summary", ["calls": 0, "attempts": 0, "exit": .int(Int(failure.exit))])
            return failure.exit
        }
    }
}
