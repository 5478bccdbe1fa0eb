internal import ArgumentParser
internal import LiveServer

/// The flags for the live streams of a server.
struct LiveServerFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp("Media file to serve in a loop as the live stream “demo”", .liveFile, "file")
    )
    var liveFile: String?

    @Option(
        help: ArgumentHelp(
            "Port on which encoders publish live streams by RTMP; 0 takes any free one",
            .rtmpPort,
            "n",
            otherwise: "1935 with --live-token"
        )
    )
    var rtmpPort: String?

    @Option(
        help: ArgumentHelp(
            "ID:SECRET with which programs manage live streams at /video/v1/live-streams, or @FILE that contains it",
            .liveToken,
            "token"
        )
    )
    var liveToken: String?

    static let usualPort = 1935

    /// Reads the port for encoders; nil if there are to be none.
    ///
    /// - Throws: `Failure` with exit code 64.
    func port(_ settings: Settings) throws(Failure) -> Int? {
        let port = try settings.value(.rtmpPort, rtmpPort, SettingText.number(in: 0...65_535))
        if let port { return port }
        return try token(settings) == nil ? nil : Self.usualPort
    }

    /// Reads the token for the API; nil if there is to be no API.
    ///
    /// - Throws: `Failure` with exit code 64.
    func token(_ settings: Settings) throws(Failure) -> LiveToken? {
        var file: KeyFile?
        let token: LiveToken? = try settings.value(.liveToken, liveToken) { text in
            var text = text
            if text.hasPrefix("@") {
                let given = try KeyFile(String(text.dropFirst()))
                file = given
                text = String(decoding: given.secret ?? [], as: UTF8.self)
            }
            guard let token = LiveToken(text) else {
                throw SettingText.Problem("the token is not of the form ID:SECRET")
            }
            return token
        }
        try file?.checkAccess()
        return token
    }
}
