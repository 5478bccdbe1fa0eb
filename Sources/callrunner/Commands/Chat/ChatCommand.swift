internal import ArgumentParser
internal import Basics
internal import ChatClient
internal import ChatCore
internal import GLibKit
internal import Glibc

/// The command that chats with a person.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Exchange messages and files with a person.",
        discussion: """
            Shows the last messages, sends the given texts and files, and ends when the
            server has stored them. Without --send and --attach, each line of standard
            input is sent as a message; from a terminal, only with --follow.

            A message that cannot be sent now is kept, and sent once by the next run. On
            the original chat server, which has no message IDs, it is an error instead.

            EXAMPLES
              callrunner chat --with Iryna                   # the last messages
              callrunner chat --with Iryna --send 'Hello!'
              make 2>&1 | tail -1 | callrunner chat --with 2
              callrunner chat --with Iryna --save ~/Downloads
              callrunner chat --with Iryna --follow          # until Ctrl-C
              callrunner chat --chat http://127.0.0.1:5001 --with 3 --follow

            EXIT CODES
              0    everything was stored by the server
              2    a message or file was not sent or saved, or was refused
              4    the server cannot be reached, or refuses the conversation
              64   usage error
            """
    )

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Your ID (default: that of your account on this server, else a guest's).",
            valueName: "id"
        )
    )
    var own: Int?

    @Option(
        help: ArgumentHelp("Other person: an ID, a name or its beginning; required.", valueName: "id|name")
    )
    var with: String?

    @Option(help: ArgumentHelp("Send this text; may be repeated.", valueName: "text"))
    var send: [String] = []

    @Option(help: ArgumentHelp("Send this file; may be repeated.", valueName: "file"))
    var attach: [String] = []

    @Option(help: ArgumentHelp("Save the other person's files in this folder.", valueName: "folder"))
    var save: String?

    @Flag(help: "Go on showing messages until Ctrl-C.")
    var follow = false

    @Option(
        help: ArgumentHelp("Time limit for connecting, and for connecting again", .serverTimeout, "time")
    )
    var serverTimeout: String?

    @OptionGroup(title: "Server") var server: ChatFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let request = try request(surroundings.settings)
            return try await ChatSession.run(server, own, surroundings) { session in
                let program = try await ChatProgram(request, session, named: with ?? "")
                let watch = InterruptionWatch()
                return try await watch.during(surroundings.console, surroundings.events) {
                    try await program.run(until: watch.store)
                }
            }
        }
    }

    /// Creates the request from the flags and the settings.
    ///
    /// - Throws: `Failure` with exit code 64 if a flag is invalid.
    private func request(_ settings: Settings) throws(Failure) -> ChatProgram.Request {
        if let own, own < 1 { throw .usage("--as: an ID must be at least 1") }
        guard let with, !with.isBlank else { throw .usage("--with is missing") }
        if let peer = Int(with), peer < 1 { throw .usage("--with: an ID must be at least 1") }
        if let own, Int(with) == own { throw .usage("--as and --with are the same person") }
        for text in send {
            guard !text.isBlank else { throw .usage("--send: the text is empty") }
            guard ChatLimits.allows(text) else { throw .usage("--send: \(ChatError.tooLong.message)") }
        }
        for path in attach {
            guard let status = FileStatus(path: path), status.isRegularFile else {
                throw .usage("--attach: \(path) is not a file that can be read")
            }
            guard (1...ChatLimits.largestFile).contains(status.size) else {
                let reason =
                    status.size > 0 ? "larger than \(ChatLimits.largestFile / 1_000_000) MB" : "empty"
                throw .usage("--attach: \(path) is \(reason)")
            }
        }
        if let save {
            guard FileStatus(path: save)?.isFolder ?? false else {
                throw .usage("--save: \(save) is no folder")
            }
            guard access(save, W_OK | X_OK) == 0 else { throw .usage("--save: \(save) cannot be written") }
        }
        let isPiped = isatty(STDIN_FILENO) == 0 && send.isEmpty && attach.isEmpty
        return ChatProgram.Request(
            texts: send,
            files: attach,
            folder: save,
            readsInput: follow || isPiped,
            follows: follow,
            timeout: try settings.required(.serverTimeout, serverTimeout, SettingText.duration)
        )
    }
}
