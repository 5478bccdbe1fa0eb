internal import ArgumentParser
internal import Basics
internal import LiveMedia
internal import MediaKit

/// The command of a child process that loads media from URLs for calls.
struct LoaderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loader",
        abstract: "Load the media of a URL for another process of callrunner.",
        shouldDisplay: false
    )

    @Option(help: .hidden) var pipelines: String

    /// Creates the command line of this command.
    static func command(_ installation: Installation) -> ProcessCommand {
        HiddenProcess.command(configuration.commandName, installation)
    }

    func run() async throws {
        HiddenProcess.begin()
        let host: LoaderHost
        let library = PipelineLibrary(directory: pipelines)
        do { host = try await LoaderHost(library: library, webMedia: WebMediaLoader()) } catch {
            throw ValidationError(error.sentence)
        }
        await host.run()
    }
}
