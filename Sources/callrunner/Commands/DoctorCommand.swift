internal import ArgumentParser
internal import CallMedia
internal import CallWindow
internal import FoundationEssentials
internal import SocketIO

/// Says what this machine can do, each problem with its fix.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say what this machine can do, each problem with its fix.",
        discussion: "Exit code 3 where something is missing that every call needs."
    )

    @OptionGroup var output: OutputFlags

    @Option(help: ArgumentHelp("Folder with the pipeline descriptions.", valueName: "dir"))
    var pipelines: String?

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let console = output.console(environment: environment)
        let events = EventWriter(isEnabled: output.json)
        let installation: Installation
        do { installation = try Installation(pipelines: pipelines, environment: environment) } catch {
            console.fail(error.message, hint: error.hint)
            throw ExitCode(error.exit)
        }
        var checks = await MediaDoctor(library: installation.library, testVideo: installation.testVideo)
            .checks()
        let hasDisplay = Display.isAvailable(in: environment)
        checks.append(
            MediaDoctor.Check(
                name: "display",
                verdict: hasDisplay ? .good : .limited,
                finding: hasDisplay ? "there is one" : "none",
                fix: hasDisplay ? nil : "calls run headless; recording works all the same"
            )
        )
        for check in checks {
            if output.json { await events.write("check", Self.fields(of: check)) } else { Self.show(check) }
        }
        if checks.contains(where: { $0.verdict == .failed }) { throw ExitCode(3) }
    }

    private static func show(_ check: MediaDoctor.Check) {
        let mark = check.verdict == .good ? "ok  " : check.verdict == .limited ? "note" : "FAIL"
        print("\(mark)  \(check.name): \(check.finding)")
        if let fix = check.fix { print("      → \(fix)") }
    }

    private static func fields(of check: MediaDoctor.Check) -> JSONObject {
        var fields: JSONObject = [
            "name": .string(check.name), "verdict": .string(check.verdict.rawValue),
            "finding": .string(check.finding),
        ]
        if let fix = check.fix { fields["fix"] = .string(fix) }
        return fields
    }
}
