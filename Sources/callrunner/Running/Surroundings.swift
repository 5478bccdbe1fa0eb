internal import ArgumentParser
internal import CallWindow
internal import FoundationEssentials
internal import Glibc

/// What every command has at hand: the settings, and ways to speak.
struct Surroundings {
    let settings: Settings
    let console: Console
    /// Whether standard output is for a script, which wants JSON Lines.
    let writesJSON: Bool
    let events: EventWriter

    var environment: [String: String] { settings.environment }

    /// Runs a command; what it throws is told once, to people and scripts.
    ///
    /// Where it `summarizes`, scripts are owed a `summary`, which `body` writes unless it throws.
    ///
    /// - Throws: `ExitCode`, always.
    static func run(
        _ flags: OutputFlags,
        summarizes: Bool = false,
        _ body: (Surroundings) async throws -> Int32
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        var settings = Settings(environment: environment, file: .none)
        var output = OutputFlags.Choice()
        let problem: Failure?
        do throws(Failure) {
            settings = Settings(environment: environment, file: try SettingsFile(environment: environment))
            output = try flags.choice(settings)
            problem = nil
        } catch {
            output.writesJSON = flags.json
            problem = error
        }
        let surroundings = Surroundings(
            settings: settings,
            console: Console(level: output.level, allowsColor: output.allowsColor),
            writesJSON: output.writesJSON,
            events: EventWriter(isEnabled: output.writesJSON)
        )
        ConsoleLogHandler.bootstrap(surroundings.console)
        let exit = await surroundings.console.during {
            do {
                if let problem { throw problem }
                return try await body(surroundings)
            } catch {
                return await surroundings.tell(Failure(error), summarizes: summarizes)
            }
        }
        if Display.isLost { _exit(exit) }  // all has been told, and what libraries do at `exit` would not end
        throw ExitCode(exit)
    }

    /// - Returns: the exit code.
    private func tell(_ failure: Failure, summarizes: Bool) async -> Int32 {
        console.fail(failure.message, hint: failure.hint)
        await events.write("error", failure.fields)
        if summarizes { await events.write("summary", Summary().fields(exit: failure.exit)) }
        return failure.exit
    }
}
