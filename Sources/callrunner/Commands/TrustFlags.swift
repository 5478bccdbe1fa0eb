internal import ArgumentParser

/// The flags for the verification of the server's certificate.
struct TrustFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Trusted certificate authorities for https://, as PEM",
            .cacert,
            "file",
            otherwise: "the system's"
        )
    )
    var cacert: String?

    @Flag(help: "Accept any certificate from the server.")
    var insecure = false
}
