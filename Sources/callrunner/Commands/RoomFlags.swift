internal import ArgumentParser

/// The flags for the room, the server and the participant.
struct RoomFlags: ParsableArguments {
    @Option(help: ArgumentHelp("Room to join: a whole number from 1; required", .room, "n"))
    var room: String?

    @Option(
        help: ArgumentHelp(
            "Run N calls at once, in the N rooms from --room on, with one source",
            .calls,
            "n"
        )
    )
    var calls: String?

    @Flag(help: "Join as the caller; without it, as the callee.")
    var caller = false

    @Option(help: ArgumentHelp("Username, 1 to 64 characters", .name, "text", otherwise: "the login name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Signaling server; if none is given and nothing listens at the default, "
                + "this process runs one there",
            .server,
            "url"
        )
    )
    var server: String?

    @Option(
        help: ArgumentHelp(
            "Room token; better set in CALLRUNNER_TOKEN, which `ps` does not show",
            .token,
            "text"
        )
    )
    var token: String?

    @OptionGroup var trust: TrustFlags
}
