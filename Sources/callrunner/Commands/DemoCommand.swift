internal import ArgumentParser

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Hold a whole call on this machine and judge it."
    )
    @OptionGroup var output: OutputFlags
    func run() async throws {}
}
