internal import AppFlow
internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import WindowKit

/// The context of a command: its settings and its output.
struct Surroundings {
    let settings: Settings
    /// The problems of the configuration file and of the output settings, for commands that report them
    /// themselves.
    let problems: [Failure]
    let console: Console
    /// Whether events are written to standard output as JSON Lines.
    let writesJSON: Bool
    let events: EventWriter

    var environment: [String: String] { settings.environment }

    /// Runs a command, and reports its error once, on the console and as an event.
    ///
    /// With `summarizes`, this method writes the event `summary` after a failure; after a success, `body` has
    /// written it. With `bearsProblems`, `body` handles the problems of the configuration file and of the
    /// output settings; otherwise they end the command.
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
                if !bearsProblems { surroundings.warnAboutOpenness() }
                let exit = try await body(surroundings)
                if exit == 0 { try await surroundings.checkOutput() }
                return exit
            } catch {
                return await surroundings.report(Failure(error), summarizes: summarizes)
            }
        }
        if Display.isLost { _exit(exit) }  // all output is written; `exit` would hang without a display
        throw ExitCode(exit)
    }

    /// Checks that all output was written to standard output, unless its reader has closed it.
    ///
    /// - Throws: `Failure` with exit code 5.
    private func checkOutput() async throws {
        // The C library may still buffer the output of `print`.
        let unflushed = fflush(nil) == 0 ? nil : StandardStream.Closed(code: errno)
        let written = await events.closed
        guard let closed = unflushed ?? written, !closed.isReaderGone else { return }
        throw Failure(
            code: "output-failed",
            message: "standard output cannot be written: \(closed.reason)",
            hint: "see whether its disk is full",
            exit: RunStatus.recordingFailed.rawValue
        )
    }

    /// Warns if other users can read or write the configuration file.
    private func warnAboutOpenness() {
        if let warning = settings.file.warning { console.say("warning: \(warning)", .emphasis) }
    }

    /// Reports every problem of the configuration file and of the output settings on the console and as an
    /// event.
    func reportProblems() async {
        warnAboutOpenness()
        for problem in problems {
            console.fail(problem.message, hint: problem.hint)
            await events.write("error", problem.fields)
        }
    }

    /// Reports a failure on the console and as an event.
    ///
    /// - Returns: The exit code.
    private func report(_ failure: Failure, summarizes: Bool) async -> Int32 {
        console.fail(failure.message, hint: failure.hint)
        await events.write("error", failure.fields)
        if summarizes { await events.write("summary", Summary().fields(exit: failure.exit)) }
        return failure.exit
    }
}
