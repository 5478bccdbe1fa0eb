internal import ArgumentParser

struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Join a room and be in the call."
    )
    @OptionGroup var flags: CallFlags
    @OptionGroup var output: OutputFlags
    func run() async throws {}
}
