internal import ArgumentParser
internal import HTTPFront
internal import SignalingServer

/// The flags for a server's TLS and its log.
struct FrontFlags: ParsableArguments {
    /// The log formats.
    enum LogFormat: String, CaseIterable {
        case text, json
    }

    @Option(
        help: ArgumentHelp(
            "Certificate chain for HTTPS, in PEM; reloaded at SIGHUP",
            .tlsCert,
            "file"
        )
    )
    var tlsCert: String?

    @Option(help: ArgumentHelp("Private key of the certificate, in PEM", .tlsKey, "file"))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "self-signed: HTTPS with a certificate made for this run, which browsers warn about",
            .tls,
            "kind"
        )
    )
    var tls: String?

    @Option(
        help: ArgumentHelp(
            "Log format on standard error: text, or json with one object per line",
            .logFormat,
            "format"
        )
    )
    var logFormat: String?

    /// Reads the log format from the flag or the settings.
    ///
    /// - Throws: `Failure` with exit code 64.
    func format(_ settings: Settings) throws(Failure) -> LogFormat {
        try settings.required(.logFormat, logFormat) { text in
            guard let format = LogFormat(rawValue: text) else {
                throw SettingText.Problem("“\(text)” is not a log format; write text or json")
            }
            return format
        }
    }

    /// Reads the source of the TLS certificate; nil for plain HTTP.
    ///
    /// - Throws: `Failure` with exit code 64.
    func certificate(_ settings: Settings, host: String) throws(Failure) -> TLSCredentials.Source? {
        let isSelfSigned: Bool? = try settings.value(.tls, tls) { text in
            guard text == "self-signed" else {
                throw SettingText.Problem("“\(text)” is not a TLS mode; write self-signed")
            }
            return true
        }
        let certificate = try settings.value(.tlsCert, tlsCert, SettingText.readableFile)
        let key = try settings.value(.tlsKey, tlsKey, KeyFile.init)
        try key?.checkAccess()
        switch (isSelfSigned, certificate, key) {
        case (nil, nil, nil): return nil
        case (nil, let certificate?, let key?): return .files(certificate: certificate, key: key.path)
        case (true?, nil, nil): return .selfSigned(host: host)
        case (nil, _?, nil):
            throw .usage(
                "--tls-cert needs --tls-key",
                hint: "give --tls-key FILE, the private key of the certificate"
            )
        case (nil, nil, _?):
            throw .usage(
                "--tls-key needs --tls-cert",
                hint: "give --tls-cert FILE, the certificate of the private key"
            )
        case (_?, _, _):
            throw .usage(
                "--tls cannot be used together with --tls-cert or --tls-key",
                hint: "give either --tls, or --tls-cert with --tls-key"
            )
        }
    }
}
