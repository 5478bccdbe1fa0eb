internal import ArgumentParser
internal import Basics

/// The flags for the server of an account.
struct AccountFlags: ParsableArguments {
    /// The description of the default server in the help of commands that have no `--server` flag.
    static let usualServer =
        "\(Setting.server.variable), or \(Setting.server.rawValue) in the configuration file, or else "
        + EmbeddedServer.defaultURL

    @Option(
        help: ArgumentHelp("Server of the account", .api, "url", otherwise: AccountFlags.usualServer)
    )
    var api: String?

    @OptionGroup var trust: TrustFlags

    /// Reads the URL of the API, without a slash at its end.
    ///
    /// - Throws: `Failure` with exit code 64.
    func base(_ settings: Settings) throws(Failure) -> String {
        let named = try settings.value(.api, api, SettingText.serverURL)
        let url = if let named { named } else { try settings.required(.server, nil, SettingText.serverURL) }
        guard let base = Self.base(of: url) else {
            throw .usage(
                "the address of the account server has a query",
                hint: "leave out the “?” and everything after it"
            )
        }
        return base
    }

    /// Returns the URL of the API of a server, without a slash at its end; nil for a URL with a query.
    static func base(of server: String) -> String? {
        var base = server
        for (socket, web) in [("ws://", "http://"), ("wss://", "https://")] where base.hasPrefix(socket) {
            base = web + base.dropFirst(socket.count)
        }
        guard !base.contains("?") else { return nil }
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }
}
