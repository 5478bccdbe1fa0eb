internal import ArgumentParser
internal import LiveCore
internal import LiveMedia
internal import MediaKit

/// The command of a child process that plays streams for another process.
struct PlayerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "player",
        abstract: "Play a stream for another process of callrunner.",
        shouldDisplay: false
    )

    @Option(help: .hidden) var pipelines: String

    /// Creates a starter for child processes that run this command.
    static func starter(_ installation: Installation) -> PlayerStarter {
        PlayerStarter(HiddenProcess.command(configuration.commandName, installation))
    }

    func run() async throws {
        HiddenProcess.begin()
        let host: PlayerHost
        do { host = try await PlayerHost(library: PipelineLibrary(directory: pipelines)) } catch {
            throw ValidationError(error.message)
        }
        await host.run()
    }
}
