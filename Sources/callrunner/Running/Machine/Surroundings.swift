internal import ArgumentParser
internal import CallWindow
internal import FoundationEssentials
internal import Glibc

/// What every command has at hand: the settings, and ways to speak.
struct Surroundings {
    let settings: Settings
    /// The faults of the configuration file and of the output settings, for commands that go on despite them.
    let problems: [Failure]
    let console: Console
    /// Whether standard output is for a script, which wants JSON Lines.
    let writesJSON: Bool
    let events: EventWriter

    var environment: [String: String] { settings.environment }

    /// Runs a command; what it throws is told once, to people and scripts.
    ///
    /// Where it `summarizes`, scripts are owed a `summary`, which `body` writes unless it throws. Where it
    /// `bearsProblems`, faults of the configuration file are left to `body`.
    ///
    /// - Throws: `ExitCode`, always.
    static func run(
        _ flags: OutputFlags,
        summarizes: Bool = false,
        bearsProblems: Bool = false,
        _ body: (Surroundings) async throws -> Int32
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let settings = Settings(environment: environment, file: SettingsFile(environment: environment))
        var output = OutputFlags.Choice()
        var problems = settings.file.problems
        do throws(Failure) { output = try flags.choice(settings) } catch {
            output.writesJSON = flags.json
            problems.append(error)
        }
        let surroundings = Surroundings(
            settings: settings,
            problems: problems,
            console: Console(level: output.level, allowsColor: output.allowsColor),
            writesJSON: output.writesJSON,
            events: EventWriter(isEnabled: output.writesJSON)
        )
        ConsoleLogHandler.bootstrap(surroundings.console)
        let exit = await surroundings.console.during {
            do {
                if let problem = problems.first, !bearsProblems { throw problem }
                if !bearsProblems { surroundings.tellOpenness() }
                return try await body(surroundings)
            } catch {
                return await surroundings.tell(Failure(error), summarizes: summarizes)
            }
        }
        if Display.isLost { _exit(exit) }  // all has been told, and what libraries do at `exit` would not end
        throw ExitCode(exit)
    }

    /// Warns where other users may read or write the configuration file.
    private func tellOpenness() {
        if let warning = settings.file.warning { console.say("warning: \(warning)", .emphasis) }
    }

    /// Reports every fault of the configuration file, to people and scripts.
    func tellProblems() async {
        tellOpenness()
        for problem in problems {
            console.fail(problem.message, hint: problem.hint)
            await events.write("error", problem.fields)
        }
    }

    /// - Returns: the exit code.
    private func tell(_ failure: Failure, summarizes: Bool) async -> Int32 {
        console.fail(failure.message, hint: failure.hint)
        await events.write("error", failure.fields)
        if summarizes { await events.write("summary", Summary().fields(exit: failure.exit)) }
        return failure.exit
    }
}
