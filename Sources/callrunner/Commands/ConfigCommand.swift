internal import ArgumentParser
internal import Basics

/// The command that shows the configuration.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the configuration and its sources.",
        subcommands: [ShowCommand.self],
        defaultSubcommand: ShowCommand.self
    )

    /// The command that lists every setting with its value and its source; secrets are hidden.
    struct ShowCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "List every setting, its value and its source; secrets are hidden.",
            discussion: """
                The order of precedence is flag, environment, file, default.
                The file is $XDG_CONFIG_HOME/callrunner/config.json, below ~/.config where
                that is not set: one JSON object whose members are named like the flags,
                without the dashes in front:

                  {"name": "Ann", "server": "https://example.org", "peer-timeout": "30s"}

                Mistakes in the file are reported, and the rest is listed anyway.
                """
        )

        @OptionGroup(title: "Output") var output: OutputFlags

        func run() async throws {
            try await Surroundings.run(output, bearsProblems: true) { surroundings in
                let file = surroundings.settings.file
                if let path = file.path {
                    surroundings.console.say(
                        file.exists
                            ? "the configuration file is \(path)" : "there is no configuration file \(path)",
                        .dim
                    )
                }
                await surroundings.reportProblems()
                for setting in Setting.allCases {
                    let line = SettingLine(setting, surroundings.settings)
                    if surroundings.writesJSON {
                        await surroundings.events.write("setting", line.fields)
                    } else {
                        print(line.text)
                    }
                }
                return 0
            }
        }
    }
}
