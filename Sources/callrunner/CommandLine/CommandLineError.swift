internal import ArgumentParser
internal import Basics
internal import Glibc

/// The error for a command line that cannot be parsed, with a hint for the user.
struct CommandLineError: Hashable {
    let message: String
    let hint: String

    /// The names of all commands, as typed on the command line.
    static let commands = CallRunner.configuration.subcommands.map(name) + ["help"]

    /// The commands without `--server`, each with the flag that names its server.
    private static let serverFlag = ["account": "--api", "users": "--chat", "chat": "--chat"]

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }

    /// Creates the error from an error message of ArgumentParser.
    ///
    /// - Parameters:
    ///   - text: ArgumentParser's message, such as `Unknown option '--ro'. Did you mean '--room'?`.
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
        if let flag = Self.flagBeforeDash(text, in: arguments) {
            // The value is not shown, because it may be a secret.
            message = "the value after \(flag) begins with a dash, so it is read as another flag"
            hint = "write \(flag)=VALUE, without a space; \(flags)"
            return
        }
        if let flag = Self.serverFlag[command], text.contains(/^Unknown option '--server['=]/) {
            message = "unknown option “--server”"
            hint = "\(flag) URL names the server of this command; \(flags)"
            return
        }
        let quoted = text.replacing(/'([^']*)'/) { "“\(Self.withoutPath($0.1))”" }
        if let suggested = quoted.firstMatch(of: /\. Did you mean “(.*)”\?/) {
            message = Self.lowercasingFirst(String(quoted[..<suggested.range.lowerBound]))
            hint = "did you mean \(suggested.1)? \(flags)"
        } else {
            message = Self.lowercasingFirst(quoted)
            hint = flags
        }
    }

    /// Returns a word without what follows the scheme of an address, which may contain a key or a password.
    private static func withoutPath(_ word: Substring) -> String {
        word.firstRange(of: "://").map { "\(word[..<$0.upperBound])…" } ?? String(word)
    }

    /// The hint for an invalid value, which refers to the help of the current command.
    static let helpHint = "see `callrunner help \(command(in: Array(CommandLine.arguments.dropFirst())))`"

    /// Returns the name of the command in the arguments, or `call` if they name none.
    static func command(in arguments: [String]) -> String {
        firstWord(of: arguments).flatMap { commands.contains($0) && $0 != "help" ? $0 : nil } ?? "call"
    }

    /// Returns the first word if it is not a known command; nil if it is a command, a flag or missing.
    static func unknownCommand(in arguments: [String]) -> String? {
        guard let word = firstWord(of: arguments), !word.hasPrefix("-"), !commands.contains(word) else {
            return nil
        }
        return word
    }

    /// Returns the first argument, or the argument after `help`.
    private static func firstWord(of arguments: [String]) -> String? {
        arguments.first == "help" ? arguments.dropFirst().first : arguments.first
    }

    /// Returns the flag for which ArgumentParser found no value, if the next argument begins with a dash and
    /// a digit or point.
    private static func flagBeforeDash(_ text: String, in arguments: [String]) -> String? {
        guard let match = text.firstMatch(of: /Missing value for '(--[^ ']+)/),
            let index = arguments.firstIndex(of: String(match.1)),
            let value = arguments.dropFirst(index + 1).first,
            value.prefixMatch(of: /-[0-9.]/) != nil
        else { return nil }
        return String(match.1)
    }

    private static func lowercasingFirst(_ text: String) -> String {
        text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Writes the error to standard error.
    func report() {
        try? StandardStream.write("callrunner: \(message)\n  hint: \(hint)\n", to: STDERR_FILENO)
    }
}
