internal import ArgumentParser

/// The flags for the verification of the server's certificate.
struct TrustFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Trusted certificate authorities for https:// and turns:, as PEM",
            .cacert,
            "file",
            otherwise: "the system's"
        )
    )
    var cacert: String?

    @Flag(help: "Accept any certificate of the signaling server, and of TURN servers over TLS.")
    var insecure = false
}
