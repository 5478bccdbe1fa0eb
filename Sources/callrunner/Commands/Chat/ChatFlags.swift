internal import ArgumentParser
internal import Basics

/// The flags for the server of the chat.
struct ChatFlags: ParsableArguments {
    @Option(help: ArgumentHelp("Server of the chat", .chat, "url", otherwise: AccountFlags.usualServer))
    var chat: String?

    @OptionGroup var trust: TrustFlags

    /// Reads the URL of the server, without a slash at its end.
    ///
    /// - Throws: `Failure` with exit code 64.
    func base(_ settings: Settings) throws(Failure) -> String {
        let named = try settings.value(.chat, chat, SettingText.serverURL)
        let url = if let named { named } else { try settings.required(.server, nil, SettingText.serverURL) }
        guard let base = AccountFlags.base(of: url) else {
            throw .usage(
                "the address of the chat server has a query",
                hint: "leave out the “?” and everything after it"
            )
        }
        return base
    }
}
