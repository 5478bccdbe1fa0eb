internal import ArgumentParser

/// The flags for timeouts, retries and repetition.
struct CourseFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Hang up so long after media connected: 10s, 1m30s, 500ms or plain seconds",
            .duration,
            "duration",
            otherwise: "never"
        )
    )
    var duration: String?

    @Option(help: ArgumentHelp("Give up on the first connection to the server", .serverTimeout, "duration"))
    var serverTimeout: String?

    @Option(
        help: ArgumentHelp(
            "Give up waiting for a peer or an offer",
            .peerTimeout,
            "duration",
            otherwise: "never"
        )
    )
    var peerTimeout: String?

    @Option(help: ArgumentHelp("Limit of one attempt, from the answer to media", .connectTimeout, "duration"))
    var connectTimeout: String?

    @Option(help: ArgumentHelp("How long to ring a person who does not answer", .ringTimeout, "duration"))
    var ringTimeout: String?

    // -1 is a value here, not a flag.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Attempts after the first, -1 for endless", .retries, "n", otherwise: "4")
    )
    var retries: String?

    @Flag(help: "After a call, back to the room, for the peer to leave and return.")
    var stay = false

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("Calls to hold with the same peer, one after another", .repeats, "n")
    )
    var repeats: String?

    @Option(help: ArgumentHelp("Between repeated calls", .pause, "duration"))
    var pause: String?
}
