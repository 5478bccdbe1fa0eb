internal import ArgumentParser
internal import Glibc
internal import SoupKit

/// The `callrunner` program, whose default command makes or answers a call.
@main
struct CallRunner: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callrunner",
        abstract: "Place, answer, show, record and check WebRTC calls.",
        discussion: """
            EXAMPLES
              callrunner demo                   # a complete call, with a verdict
              callrunner --room 1               # join room 1 and answer calls
              callrunner --room 1 --caller      # call whoever joins room 1
              callrunner --room 1 --record call.mkv --duration 10s --json
              callrunner --server https://example.org --room 7 --source film.mp4

            `callrunner help call` lists the flags of a call.
            """,
        version: Version.line,
        subcommands: [
            CallCommand.self, OpenApp.self, ServeCommand.self, TokenCommand.self, DemoCommand.self,
            LiveCommand.self, PublishCommand.self, PlayerCommand.self, LoaderCommand.self,
            AccountCommand.self,
            UsersCommand.self,
            ChatCommand.self, RecoverCommand.self, DoctorCommand.self, CodecsCommand.self,
            DevicesCommand.self, ConfigCommand.self,
        ],
        defaultSubcommand: CallCommand.self
    )

    static func main() async {
        _ = ProcessClock.start
        StandardStream.secureDescriptors()
        DesktopSettings.prepare()
        ProxySettings.prepare()
        TLSSettings.prepare()
        SoupEnvironment.prepare()
        signal(SIGPIPE, SIG_IGN)  // write(2) reports a closed pipe instead
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if let word = CommandLineError.unknownCommand(in: arguments) {
                throw ValidationError("Unexpected argument '\(word)'")
            }
            var command = try parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            guard exitCode(for: error) == .validationFailure, !(error is ExitCode) else {
                exit(withError: error)
            }
            CommandLineError(message(for: error), arguments: arguments).report()
            exit(withError: ExitCode.validationFailure)
        }
    }
}
