internal import ArgumentParser
internal import CallFlow
internal import CallMedia
internal import SocketIO

/// Says what this machine can do, each problem with its fix.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say what this machine can do, each problem with its fix.",
        discussion: """
            Each line is ok, a note, or FAIL for what every call needs; the exit code is
            then 3. Cameras are listed, not opened.

            EXAMPLES
              callrunner doctor
              callrunner doctor --json
            """
    )

    @OptionGroup var output: OutputFlags

    @Option(help: ArgumentHelp("Folder with the pipeline descriptions.", valueName: "dir"))
    var pipelines: String?

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let installation = try Installation(
                pipelines: try surroundings.settings.text(.pipelines, pipelines),
                environment: surroundings.environment
            )
            let media = MediaDoctor(library: installation.library, testVideo: installation.testVideo)
            let checks =
                await media.checks() + [MachineCheck.display(surroundings.environment)]
                + MachineCheck.sound(surroundings.environment) + [await MachineCheck.serverAddress()]
            for check in checks {
                if surroundings.writesJSON {
                    await surroundings.events.write("check", Self.fields(of: check))
                } else {
                    Self.show(check)
                }
            }
            let hasFailed = checks.contains { $0.verdict == .failed }
            return hasFailed ? RunStatus.mediaFailed.rawValue : 0
        }
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
