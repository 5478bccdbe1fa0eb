internal import ArgumentParser
internal import CallCore
internal import CallFlow
internal import CallMedia
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
              CALLRUNNER_TOKEN=… callrunner --server https://example.org --room 7

            EXIT CODES
              0    a call was held and ended, by whomever
              2    a deadline ran out: no peer, no answer, no media
              3    media failed: source, plugin, ICE, DTLS, codecs
              4    signaling failed: no server, room full, not authorized
              5    the recording failed: not writable, exists, disk full
              64   wrong usage
              130, 143  interrupted, after hanging up and closing the recordings

            Every flag can also be given in the environment, as CALLRUNNER_SERVER or
            CALLRUNNER_PEER_TIMEOUT, or in ~/.config/callrunner/config.json, as
            {"server": "https://example.org"}; see `callrunner config show`.
            """
    )

    @OptionGroup var flags: CallFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output, summarizes: true) { surroundings in
            let request = try CallRequest(flags, surroundings.settings)
            let watch = InterruptionWatch()
            return try await watch.during(surroundings.console, surroundings.events) {
                try await hold(request, surroundings, watch.store)
            }
        }
    }

    /// - Returns: the exit code.
    private func hold(
        _ request: CallRequest,
        _ surroundings: Surroundings,
        _ interruption: StateStore<Interruption?>
    ) async throws -> Int32 {
        let (console, events) = (surroundings.console, surroundings.events)
        let installation = try Installation(
            pipelines: request.pipelines,
            environment: surroundings.environment
        )
        var media = try request.media(installation)
        defer { media.discardUnusedRecordings() }
        let dump = try request.dump.map(DumpFolder.init)
        if let dump {
            await dump.keep(about: MachineReport.text(surroundings.settings))
            await events.copy(to: dump)
            media.drawsGraphs = true
        }
        let server = EmbeddedServer(
            named: request.namedServer,
            replacesLost: request.plan.stays || request.plan.calls > 1,
            logger: Logger(label: "callrunner.server")
        )
        let closing = ClosingLimit()
        let failed = RunStatus.mediaFailed.rawValue
        let result = try await closing.during(console, events, exit: { interruption.state?.exit ?? failed }) {
            try await server.withServer { start, url in
                console.say("\(start.reason), so this process serves \(url) until it ends", .dim)
                await events.write("server.listening", ["url": .string(url)])
            } _: { url, whenLost in
                var run = CallRun(
                    plan: request.plan,
                    media: media,
                    signaling: request.signaling(url: url),
                    picture: request.picture,
                    console: console,
                    events: events
                )
                run.dump = dump
                run.whenSignalingIsLost = whenLost
                return try await run.run(interruption: interruption, closing: closing)
            }
        }
        let summary = Summary(result)
        let exit = interruption.state?.exit ?? result.outcome.exit.rawValue
        if let sentence = summary.sentence {
            console.say(sentence, result.outcome.error == nil ? .good : .plain)
        }
        await events.write("summary", summary.fields(exit: exit))
        return exit
    }
}
