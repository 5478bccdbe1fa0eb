internal import ArgumentParser

/// The flags for the server's certificate.
struct TrustFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Authorities to trust for https://, as PEM",
            .cacert,
            "file",
            otherwise: "the system's"
        )
    )
    var cacert: String?

    @Flag(help: "Accept any certificate of the server.")
    var insecure = false
}
