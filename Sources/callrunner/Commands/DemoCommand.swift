internal import AppFlow
internal import ArgumentParser
internal import Basics
internal import CallCore
internal import CallMedia
internal import CallSignaling
internal import FoundationEssentials
internal import Logging
internal import MediaKit
internal import SignalingServer
internal import WindowKit

/// The command that runs a server, a caller and a callee in one process, and checks their call.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a complete call, or a live stream, on this machine and check it.",
        usage: "callrunner demo <options>",
        discussion: """
            A signaling server, a caller and a callee in one process: both sides send the
            test video and record what they receive, which is checked. Only the
            loopback network is needed.

            With --live: a server that offers the test video as a live stream, and a player
            of it, with a window if there is a display.

            EXAMPLES
              callrunner demo
              callrunner demo --out calls --duration 30s
              callrunner demo --source film.mp4 --json
              callrunner demo --live --headless

            The exit code is 0, or that of the failure; `callrunner help call` lists them.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Folder for caller.mkv and callee.mkv; existing ones are replaced (default: a new temporary folder).",
            valueName: "dir"
        )
    )
    var out: String?

    @Option(help: ArgumentHelp("Duration of the call or the playing (default: 5s).", valueName: "duration"))
    var duration: String?

    @Option(help: ArgumentHelp("Source that both sides send (default: test).", valueName: "source"))
    var source: String?

    @Flag(help: "Check a live stream of the test video, or of the file in --source, instead of a call.")
    var live = false

    @Flag(help: "With --live: show no window, even with a display.")
    var headless = false

    @OptionGroup var templates: TemplateFlags

    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output, summarizes: true) { surroundings in
            let watch = InterruptionWatch()
            let wanted = try Settings.none.required(.duration, duration ?? "5s", SettingText.duration)
            guard wanted > .zero else {
                throw Failure.usage("--duration must be longer than 0 s", hint: "leave --duration out")
            }
            guard live || !headless else {
                throw Failure.usage(
                    "--headless belongs to --live: the demo of a call shows no window",
                    hint: "leave --headless out, or add --live"
                )
            }
            let installation = try Installation(
                pipelines: try surroundings.settings.text(.pipelines, templates.pipelines),
                environment: surroundings.environment
            )
            if live {
                let demo = LiveDemo(
                    file: try streamedFile(installation),
                    duration: wanted,
                    presentation: !headless && Display.isAvailable(in: surroundings.environment)
                        ? .windowIfPossible : .headless,
                    installation: installation,
                    surroundings: surroundings
                )
                return try await watch.during(surroundings.console, surroundings.events) {
                    try await demo.hold(until: watch.store)
                }
            }
            let plan = try DemoPlan(
                installation: installation,
                source: try chosenSource(),
                duration: wanted,
                folder: out
            )
            defer { plan.discardUnusedRecordings() }
            return try await watch.during(surroundings.console, surroundings.events) {
                try await hold(plan, surroundings, watch.store)
            }
        }
    }

    /// Returns the media source for the caller and the callee.
    ///
    /// - Throws: `Failure` with exit code 64.
    private func chosenSource() throws(Failure) -> SourceChoice {
        let choice = try Settings.none.required(.source, source ?? "test", MediaRequest.source)
        guard choice != .none else {
            throw .usage("a demo with --source none sends nothing to check", hint: "leave --source out")
        }
        return choice
    }

    /// Returns the path of the file that is offered as a stream.
    ///
    /// - Throws: `Failure` with exit code 64.
    private func streamedFile(_ installation: Installation) throws(Failure) -> String {
        guard out == nil else {
            throw .usage("a demo with --live records nothing", hint: "leave --out out")
        }
        switch try chosenSource() {
        case .test: return installation.testVideo
        case .file(let path): return path
        default: throw .usage("a demo with --live needs a file", hint: "give --source FILE, or leave it out")
        }
    }

    /// Runs the call between caller and callee, and reports whether it works.
    ///
    /// - Returns: The exit code.
    private func hold(
        _ plan: DemoPlan,
        _ surroundings: Surroundings,
        _ interruption: StateStore<Interruption?>
    ) async throws -> Int32 {
        let (console, events) = (surroundings.console, surroundings.events)
        var configuration = ServerConfiguration()
        configuration.port = 0
        let closing = ClosingLimit()
        let failed = RunStatus.mediaFailed.rawValue
        let sides = try await closing.during(console, events, exit: { interruption.state?.exit ?? failed }) {
            let logger = Logger(label: "callrunner.server")
            return try await SignalingServer.run(configuration, logger: logger) { server in
                await events.write("server.listening", ["url": .string(server.url)])
                console.say(
                    "signaling server, caller and callee in this process, at \(server.url)",
                    .dim
                )
                let program = DemoProgram(plan, server.url, surroundings, interruption, closing)
                async let callee = program.hold(.callee)
                let caller = try await program.hold(.caller)
                return (caller: caller, callee: try await callee)
            }
        }
        let verdict = DemoVerdict(caller: sides.caller, callee: sides.callee)
        return await verdict.report(console, events, after: interruption.state)
    }
}
