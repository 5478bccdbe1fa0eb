internal import ArgumentParser

/// How peers reach each other (ICE, RFC 8445).
struct NetworkFlags: ParsableArguments {
    @Option(help: ArgumentHelp("STUN server, as in stun:HOST:PORT; may be repeated", .stun, "url"))
    var stun: [String] = []

    @Option(
        help: ArgumentHelp(
            "TURN server, as in turn:USER:SECRET@HOST:PORT; may be repeated, better in CALLRUNNER_TURN",
            .turn,
            "url"
        )
    )
    var turn: [String] = []

    @Flag(help: "Reach the peer through a TURN server only.")
    var relayOnly = false
}
