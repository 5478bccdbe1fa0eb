internal import ArgumentParser
internal import Basics
internal import ChatClient
internal import ChatCore

/// The command that lists the people of a chat.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "List the people to chat with.",
        discussion: """
            Online people come first. `callrunner chat --with NAME` writes to one of
            them.

            EXAMPLES
              callrunner users
              callrunner users --chat https://chat.example.org --json
            """
    )

    @OptionGroup(title: "Server") var server: ChatFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            try await ChatSession.run(server, nil, surroundings) { session in
                let own = await session.own()
                let people = try await session.service.people(as: own).sorted(without: own)
                for person in people { await Self.show(person, surroundings) }
                if people.isEmpty { surroundings.console.say("there is nobody to chat with") }
                return 0
            }
        }
    }

    private static func show(_ person: ChatPerson, _ surroundings: Surroundings) async {
        guard surroundings.writesJSON else {
            let name = TerminalText(person.name.isEmpty ? "??" : person.name).narrow
            let status = person.status.map { "  \(TerminalText($0).narrow)" } ?? ""
            return print("\(person.isOnline ? "online " : "offline")  \(name) (\(person.id))\(status)")
        }
        await surroundings.events.write("chat.person", person.json.objectValue ?? [:])
    }
}
