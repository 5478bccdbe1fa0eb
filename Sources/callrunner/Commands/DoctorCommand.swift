internal import AppFlow
internal import ArgumentParser
internal import Basics
internal import CallCore
internal import CallMedia
internal import GLibKit

/// The command that checks this computer and suggests a fix for each problem.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what this machine can do, and show a fix for each problem.",
        usage: "callrunner doctor <options>",
        discussion: """
            Each line is marked ok, note or FAIL. FAIL marks a problem that makes calls
            fail; the exit code is then 3. Cameras are listed, not opened.

            With --stun or --turn these servers are tested too: a STUN server must return
            this machine's public address, and a TURN server a relayed one, which is then
            released.

            EXAMPLES
              callrunner doctor
              callrunner doctor --stun default
              callrunner doctor --json
            """
    )

    @OptionGroup var output: OutputFlags

    @Option(help: ArgumentHelp("Folder with the pipeline templates.", valueName: "dir"))
    var pipelines: String?

    @Option(
        help: ArgumentHelp(
            "STUN server to test: stun:HOST:PORT, or the word “default” for \(ICEServerText.publicSTUN); "
                + "may be repeated",
            .stun,
            "url"
        )
    )
    var stun: [String] = []

    @Option(
        help: ArgumentHelp("TURN server to test, as for `call --turn`; may be repeated", .turn, "url")
    )
    var turn: [String] = []

    @Option(help: ArgumentHelp("Trusted certificate authorities for turns:, in PEM", .cacert, "file"))
    var cacert: String?

    @Flag(help: "Trust any certificate for turns:.")
    var insecure = false

    func run() async throws {
        try await Surroundings.run(output, bearsProblems: true) { surroundings in
            let installation = try Installation(
                pipelines: try surroundings.settings.text(.pipelines, pipelines),
                environment: surroundings.environment
            )
            var problems = surroundings.problems
            var servers = Servers()
            do throws(Failure) { servers = try self.servers(surroundings.settings) } catch {
                guard stun.isEmpty, turn.isEmpty, cacert == nil else { throw error }
                problems.append(error)
            }
            let media = MediaDoctor(library: installation.library, testVideo: installation.testVideo)
            let checks =
                await [MachineCheck.configuration(surroundings.settings.file, problems)] + media.checks() + [
                    await MachineCheck.display(surroundings.environment), MachineCheck.fonts(),
                ]
                + MachineCheck.audio(surroundings.environment)
                + [await MachineCheck.keyring(surroundings.environment), await MachineCheck.serverAddress()]
                + AccountsCheck.all(surroundings.settings)
                + MediaDoctor.checks(of: servers.all, authorities: servers.authorities)
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

    /// The STUN and TURN servers to check.
    private struct Servers {
        var all: [ICEServer] = []
        var authorities = TLSAuthorities.system
    }

    private func servers(_ settings: Settings) throws(Failure) -> Servers {
        let file = try settings.value(.cacert, cacert, SettingText.readableFile)
        return Servers(
            all: try settings.list(.stun, stun, ICEServerText.stun)
                + settings.list(.turn, turn, ICEServerText.turn),
            authorities: try settings.isOn(.insecure, insecure)
                ? .anybody : file.map(TLSAuthorities.file) ?? .system
        )
    }

    private static func show(_ check: MediaDoctor.Check) {
        let mark = check.verdict == .good ? "ok  " : check.verdict == .limited ? "note" : "FAIL"
        print("\(mark)  \(TerminalText("\(check.name): \(check.finding)").printable)")
        if let fix = check.fix { print("      → \(TerminalText(fix).printable)") }
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
