internal import ArgumentParser
internal import CallCore
internal import Glibc

/// A command line that cannot be parsed, reported like any other failure: the error, then a hint.
struct CommandLineError: Hashable {
    let message: String
    let hint: String

    /// The names of all commands, as they are typed.
    static let commands = CallRunner.configuration.subcommands.map(name) + ["help"]

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }

    /// Rewrites an error of ArgumentParser.
    ///
    /// - Parameters:
    ///   - text: ArgumentParser's sentence, such as `Unknown option '--ro'. Did you mean '--room'?`.
    ///   - arguments: the arguments of the program.
    init(_ text: String, arguments: [String]) {
        let command = Self.command(in: arguments)
        let flags = "`callrunner help \(command)` lists its flags"
        if let wrong = Self.unknownCommand(in: arguments) {
            message = "there is no command “\(wrong)”"
            let all = "`callrunner help` lists the commands"
            hint =
                Suggestion.nearest(to: wrong, among: Self.commands).map { "did you mean `\($0)`? \(all)" }
                ?? all
            return
        }
        let quoted = text.replacing(/'([^']*)'/) { "“\($0.1)”" }
        if let suggested = quoted.firstMatch(of: /\. Did you mean “(.*)”\?/) {
            message = Self.lowercasingFirst(String(quoted[..<suggested.range.lowerBound]))
            hint = "did you mean \(suggested.1)? \(flags)"
        } else {
            message = Self.lowercasingFirst(quoted)
            hint = flags
        }
    }

    /// The hint for an invalid value: the help that lists the flags of the command.
    static let helpHint = "see `callrunner help \(command(in: Array(CommandLine.arguments.dropFirst())))`"

    /// The command that the arguments name; by default `call`.
    static func command(in arguments: [String]) -> String {
        firstWord(of: arguments).flatMap { commands.contains($0) && $0 != "help" ? $0 : nil } ?? "call"
    }

    /// Returns the first word if it is not a command; nil if it is a command, a flag or missing.
    static func unknownCommand(in arguments: [String]) -> String? {
        guard let word = firstWord(of: arguments), !word.hasPrefix("-"), !commands.contains(word) else {
            return nil
        }
        return word
    }

    /// The first word of the arguments, or the word after `help`.
    private static func firstWord(of arguments: [String]) -> String? {
        arguments.first == "help" ? arguments.dropFirst().first : arguments.first
    }

    private static func lowercasingFirst(_ text: String) -> String {
        text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Writes the error to standard error.
    func report() {
        try? StandardStream.write("callrunner: \(message)\n  hint: \(hint)\n", to: STDERR_FILENO)
    }
}
