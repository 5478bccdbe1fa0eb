internal import ArgumentParser

/// The flags for timeouts, retries and repetition.
struct CourseFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Hang up this long after media connected: 10s, 1m30s, 500ms or plain seconds",
            .duration,
            "duration",
            otherwise: "never"
        )
    )
    var duration: String?

    @Option(
        help: ArgumentHelp("Time limit for the first connection to the server", .serverTimeout, "duration")
    )
    var serverTimeout: String?

    @Option(
        help: ArgumentHelp(
            "Time limit for waiting for a peer or an offer",
            .peerTimeout,
            "duration",
            otherwise: "unlimited"
        )
    )
    var peerTimeout: String?

    @Option(
        help: ArgumentHelp(
            "Time limit in each attempt for media to connect after the answer, and for creating the offer",
            .connectTimeout,
            "duration"
        )
    )
    var connectTimeout: String?

    @Option(
        help: ArgumentHelp("Time limit for ringing a person who does not answer", .ringTimeout, "duration")
    )
    var ringTimeout: String?

    // The unconditional parsing accepts -1 as the value; otherwise it would be parsed as a flag.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Attempts after the first, -1 for unlimited", .retries, "n", otherwise: "4")
    )
    var retries: String?

    @Flag(help: "Return to the room after each call, and stay there for further calls.")
    var stay = false

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("Number of calls with the same peer, one after another", .repeats, "n")
    )
    var repeats: String?

    @Option(help: ArgumentHelp("Pause between repeated calls", .pause, "duration"))
    var pause: String?
}
