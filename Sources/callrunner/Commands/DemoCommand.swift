internal import ArgumentParser
internal import CallCore
internal import CallFlow
internal import CallMedia
internal import CallSignaling
internal import FoundationEssentials
internal import Logging
internal import SignalingServer
internal import SocketIO

/// Server, caller and callee in one process, both sides recorded, with a verdict.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Hold a whole call on this machine and judge it.",
        discussion: "Needs no network but loopback. Exit code 0, or the code of what failed."
    )

    @Option(
        help: ArgumentHelp("Folder for the two recordings (default: a new temporary one).", valueName: "dir")
    )
    var out: String?

    @Option(help: ArgumentHelp("How long the call lasts.", valueName: "duration"))
    var duration = Span(.seconds(5))

    @Option(help: ArgumentHelp("What both sides send.", valueName: "source"))
    var source = "test"

    @Option(help: ArgumentHelp("Folder with the pipeline descriptions.", valueName: "dir"))
    var pipelines: String?

    @OptionGroup var output: OutputFlags

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let console = output.console(environment: environment)
        let events = EventWriter(isEnabled: output.json)
        LogSetup.start(verbose: output.verbose)
        let watch = InterruptionWatch()
        let exit = await watch.during(events) {
            do { return try await hold(console, events, environment, watch.store) } catch {
                let failure = Failure(error)
                console.fail(failure.message, hint: failure.hint)
                await events.write("error", failure.fields)
                return failure.exit
            }
        }
        throw ExitCode(watch.store.state?.exit ?? exit)
    }

    /// - Returns: the exit code.
    private func hold(
        _ console: Console,
        _ events: EventWriter,
        _ environment: [String: String],
        _ interruption: StateStore<Interruption?>
    ) async throws -> Int32 {
        let installation = try Installation(pipelines: pipelines, environment: environment)
        let folder = try recordingFolder()
        let (caller, callee) = (
            try media(installation, folder, .caller), try media(installation, folder, .callee)
        )
        var configuration = ServerConfiguration()
        configuration.port = 0
        let results = try await SignalingServer.run(configuration, logger: Logger(label: "callrunner.server"))
        {
            server in
            await events.write("server.listening", ["url": .string(server.url)])
            console.say("a signaling server, a caller and a callee, in this process, on \(server.url)", .dim)
            let callerRun = try run(.caller, caller, server.url, console, events)
            let calleeRun = try run(.callee, callee, server.url, console, events)
            async let calleeResult = calleeRun.run(interruption: interruption)
            let callerResult = try await callerRun.run(interruption: interruption)
            return (caller: callerResult, callee: try await calleeResult)
        }
        return await DemoVerdict(caller: results.caller, callee: results.callee, wanted: duration.duration)
            .tell(console, events)
    }

    private func run(
        _ role: Role,
        _ media: MediaConfiguration,
        _ url: String,
        _ console: Console,
        _ events: EventWriter
    ) throws -> CallRun {
        let name = role == .caller ? "Ann" : "Bob"
        let identity = Identity(username: try Username(name), room: try RoomID(1))
        var plan = CallPlan(identity: identity, role: role)
        plan.options.peerTimeout = .seconds(20)
        if role == .caller { plan.options.duration = duration.duration }
        let quiet = Console(level: output.verbose ? console.level : .quiet, allowsColor: console.usesColor)
        return CallRun(
            plan: plan,
            media: media,
            signaling: SignalingConfiguration(serverURL: url),
            side: role.rawValue,
            console: quiet,
            events: events
        )
    }

    private func media(
        _ installation: Installation,
        _ folder: String,
        _ role: Role
    ) throws -> MediaConfiguration {
        var configuration = MediaConfiguration(
            source: SourceChoice(source),
            testVideo: installation.testVideo,
            library: installation.library
        )
        configuration.recording = try RecordingFile(
            path: "\(folder)/\(role.rawValue).mkv",
            container: .mkv,
            overwrite: out != nil
        )
        return configuration
    }

    private func recordingFolder() throws -> String {
        let folder =
            out ?? FileManager.default.temporaryDirectory.path
            + "/callrunner-demo-\(UUID().uuidString.prefix(8))"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw Failure(
                code: "recording",
                message: "\(folder) cannot be made",
                hint: "name another folder with --out",
                exit: 5
            )
        }
        return folder
    }
}
