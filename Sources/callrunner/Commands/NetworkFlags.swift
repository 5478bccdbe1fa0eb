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

    @Flag(
        help: """
            Send a fifth more with pictures, so that lost packets need not be asked for again (ULP-FEC): for \
            long ways. The bit rate then follows losses alone.
            """
    )
    var fec = false

    @Flag(help: "Reach the peer through a TURN server only.")
    var relayOnly = false
}
