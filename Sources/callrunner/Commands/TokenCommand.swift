internal import ArgumentParser
internal import Basics
internal import CallCore
internal import FoundationEssentials
internal import HTTPFront
internal import SignalingServer

/// The command that creates a token for a room.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create a token that allows its holder to join a room.",
        usage: "callrunner token <options>",
        discussion: """
            The token is written to standard output: a JSON Web Token, signed with HS256 if
            the file holds a secret of 32 bytes or more, with ES256 for a P-256 key.
            Until the token expires, its holder may join the room, under any name and in
            either role unless --name or --role limits it.

            EXAMPLES
              openssl rand -hex 32 > room.key && chmod 600 room.key
              callrunner serve --auth jwt:room.key
              callrunner token --key room.key --room 7 --role callee --expires 15m
              export CALLRUNNER_TOKEN=$(callrunner token --key room.key --room 7)
              callrunner --room 7
            """
    )

    @Option(help: ArgumentHelp("Secret or P-256 private key; required", .key, "file"))
    var key: String?

    // These options are not read from the environment, because CALLRUNNER_ROOM and CALLRUNNER_NAME belong to
    // calls.
    @Option(
        help: ArgumentHelp("Room that the token is for: a whole number from 1; required.", valueName: "n")
    )
    var room: String?

    @Option(
        help: ArgumentHelp("The name for which the token is valid (default: any name).", valueName: "text")
    )
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Only role that the token is valid for: caller or callee (default: either).",
            valueName: "role"
        )
    )
    var role: String?

    @Option(help: ArgumentHelp("Time until the token expires", .expires, "duration"))
    var expires: String?

    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let settings = surroundings.settings
            guard let file = try settings.value(.key, key, KeyFile.init) else {
                throw Failure.usage(
                    "--key is missing; it names the file with the server's key",
                    hint:
                        "give it as --key FILE or \(Setting.key.variable); make one with "
                        + "`openssl rand -hex 32 > FILE; chmod 600 FILE`, and serve with --auth jwt:FILE"
                )
            }
            let token = try token(settings, now: Int(Date().timeIntervalSince1970))
            let key = try await TokenKey(file)
            let text: String
            do throws(TokenKeyError) {
                text = try await key.sign(token)
            } catch {
                throw Failure.usage("“\(file.path)”: \(error)", hint: "give the private key")
            }
            if try output.choice(settings).writesJSON {
                await surroundings.events.write("token", fields(text, token))
            } else {
                print(text)
            }
            return 0
        }
    }

    /// Creates the token; `now` is in seconds since 1970.
    ///
    /// - Throws: `Failure` with exit code 64.
    func token(_ settings: Settings, now: Int) throws(Failure) -> RoomToken {
        let lifetime = try settings.required(.expires, expires, SettingText.duration)
        guard lifetime >= .seconds(1) else {
            throw .usage("--expires must be at least one second")
        }
        return RoomToken(
            room: try Settings.none.required(.room, room, SettingText.room),
            username: try Settings.none.value(.name, name) { try Username($0) },
            role: try namedRole(),
            expiry: now + Int(clamping: lifetime.components.seconds)
        )
    }

    private func namedRole() throws(Failure) -> Role? {
        guard let role else { return nil }
        guard let named = Role(rawValue: role.lowercased()) else {
            throw .usage("--role: “\(role)” is not a role", hint: "write caller or callee")
        }
        return named
    }

    private func fields(_ text: String, _ token: RoomToken) -> JSONObject {
        var fields: JSONObject = ["token": .string(text), "room": .int(token.room.value)]
        fields["username"] = token.username.map { .string($0.value) }
        fields["role"] = token.role.map { .string($0.rawValue) }
        fields["expires"] = .int(token.expiry)
        return fields
    }
}
