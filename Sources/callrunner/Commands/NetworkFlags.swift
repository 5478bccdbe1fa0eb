internal import ArgumentParser

/// The flags for the network between peers (ICE, RFC 8445).
struct NetworkFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "STUN server, as in stun:HOST:PORT, or default for \(ICEServerText.publicSTUN); none is asked unless named",
            .stun,
            "url"
        )
    )
    var stun: [String] = []

    @Option(
        help: ArgumentHelp(
            "TURN server, as in turn:USER:SECRET@HOST:PORT, ?transport=tcp after it for TCP, turns: for TLS; may be repeated, better in CALLRUNNER_TURN",
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

    @Option(help: ArgumentHelp("UDP ports that media may use here, as in 40000-40100", .icePorts, "min-max"))
    var icePorts: String?

    @Option(help: ArgumentHelp("Interface, or address of one, that media may use here", .interface, "name"))
    var interface: String?

    @Flag(help: "Use no IPv6 addresses of this machine for media.")
    var ipv4 = false

    @Flag(help: "Use no IPv4 addresses of this machine for media.")
    var ipv6 = false
}
