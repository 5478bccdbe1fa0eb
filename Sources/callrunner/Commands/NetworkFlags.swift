internal import ArgumentParser

/// The flags for the network between peers (ICE, RFC 8445).
struct NetworkFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "STUN server: stun:HOST:PORT, or the word “default” for \(ICEServerText.publicSTUN); without it, none is used",
            .stun,
            "url"
        )
    )
    var stun: [String] = []

    @Option(
        help: ArgumentHelp(
            "TURN server, as in turn:USER:SECRET@HOST:PORT, with ?transport=tcp for TCP, turns: for TLS; may be repeated, better set in CALLRUNNER_TURN",
            .turn,
            "url"
        )
    )
    var turn: [String] = []

    @Flag(
        help: """
            Send 20 % more video packets for forward error correction (ULP-FEC), so that lost packets need no \
            retransmission; for long round-trip times. The bit rate then adapts only to packet loss.
            """
    )
    var fec = false

    @Flag(help: "Connect to the peer through a TURN server only.")
    var relayOnly = false

    @Option(help: ArgumentHelp("Local UDP ports for media, as in 40000-40100", .icePorts, "min-max"))
    var icePorts: String?

    @Option(help: ArgumentHelp("Network interface for media: its name or an address", .interface, "name"))
    var interface: String?

    @Flag(help: "Use no local IPv6 addresses for media.")
    var ipv4 = false

    @Flag(help: "Use no local IPv4 addresses for media.")
    var ipv6 = false
}
