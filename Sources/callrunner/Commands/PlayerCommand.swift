internal import ArgumentParser
internal import Glibc
internal import LiveCore
internal import LiveMedia
internal import MediaKit

/// The command of the processes that play the streams of other commands.
struct PlayerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "player",
        abstract: "Play a stream for another process of callrunner.",
        shouldDisplay: false
    )

    @Option(help: .hidden) var pipelines: String

    /// Creates the starter of this command.
    static func starter(_ library: PipelineLibrary, _ environment: [String: String]) -> PlayerStarter {
        // This program, even if another one has replaced it meanwhile.
        let program = "/proc/self/exe"
        let debugging = ["GST_DEBUG", "G_MESSAGES_DEBUG"].contains { environment[$0] != nil }
        return PlayerStarter(
            command: [program, configuration.commandName ?? "", "--pipelines", library.directory],
            showsErrors: debugging
        )
    }

    func run() async throws {
        let host: PlayerHost
        do { host = try await PlayerHost(library: PipelineLibrary(directory: pipelines)) } catch {
            throw ValidationError(error.message)
        }
        // Ctrl+C in a terminal and `timeout` reach both processes; this one ends with the other.
        for number in [SIGINT, SIGHUP, SIGTERM] { signal(number, SIG_IGN) }
        ProcessLimits.playing.apply()
        await host.run()
    }
}
