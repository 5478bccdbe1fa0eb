internal import ArgumentParser
internal import GLibKit

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

    @Flag(help: "Accept any certificate of the server, and of TURN servers over TLS.")
    var insecure = false

    /// Reads the certificate authorities trusted for servers; with `--insecure`, any certificate is accepted.
    ///
    /// - Throws: `Failure` with exit code 64.
    func authorities(_ settings: Settings) throws(Failure) -> TLSAuthorities {
        let file = try settings.value(.cacert, cacert, SettingText.readableFile)
        return try settings.isOn(.insecure, insecure) ? .anybody : file.map { .file($0) } ?? .system
    }
}
