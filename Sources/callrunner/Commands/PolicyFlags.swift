internal import ArgumentParser
internal import HTTPFront
internal import SignalingServer

/// The flags for admission, rooms, limits and ICE servers of the signaling server.
struct PolicyFlags: ParsableArguments {
    @Flag(help: "Allow several callers and callees in a room, up to 256 in total.")
    var openRooms = false

    @Flag(help: "Keep offers for peers that join later, for ten minutes at most.")
    var hold = false

    @Option(
        help: ArgumentHelp(
            "Time within which a client that lost its connection may return",
            .grace,
            "duration"
        )
    )
    var grace: String?

    @Option(
        help: ArgumentHelp(
            "Authentication of joining clients: jwt:KEYFILE requires a token from `callrunner token`",
            .auth,
            "how"
        )
    )
    var auth: String?

    @Option(
        help: ArgumentHelp(
            "TURN server announced to every client, as in turn:HOST:PORT; may be repeated",
            .turn,
            "url"
        )
    )
    var turn: [String] = []

    @Option(help: ArgumentHelp("STUN server announced to every client; may be repeated", .stun, "url"))
    var stun: [String] = []

    @Option(help: ArgumentHelp("File with the secret shared with the TURN servers", .turnSecret, "file"))
    var turnSecret: String?

    @Option(help: ArgumentHelp("Time until TURN credentials expire", .turnTTL, "duration"))
    var turnTtl: String?

    @Option(
        help: ArgumentHelp(
            "Maximum number of connections",
            .maxConnections,
            "n",
            otherwise: "the file descriptor limit minus 64"
        )
    )
    var maxConnections: String?

    @Option(
        help: ArgumentHelp(
            "Simultaneous connections from one address; 0 is unlimited; loopback is never limited",
            .connectionsPerAddress,
            "n",
            otherwise: "a quarter of --max-connections"
        )
    )
    var connectionsPerAddress: String?

    @Option(
        help: ArgumentHelp(
            "The average number of new connections per minute from one address, and the most at once; "
                + "0 is unlimited; loopback is never limited",
            .connectionsPerMinute,
            "n"
        )
    )
    var connectionsPerMinute: String?

    @Option(
        help: ArgumentHelp(
            "Maximum messages per second from a client; ten times as many from an IP address; "
                + "0 is unlimited; loopback is never limited",
            .messagesPerSecond,
            "n"
        )
    )
    var messagesPerSecond: String?

    @Option(
        help: ArgumentHelp(
            "Maximum bytes per second from a client; ten times as many from an IP address; "
                + "0 is unlimited; loopback is never limited",
            .bytesPerSecond,
            "n"
        )
    )
    var bytesPerSecond: String?

    @Option(
        help: ArgumentHelp(
            "Address of a proxy whose X-Forwarded-For header is trusted; may be repeated",
            .trustedProxy,
            "address"
        )
    )
    var trustedProxy: [String] = []

    @Option(help: ArgumentHelp("Time for which calls may continue after SIGTERM", .drain, "duration"))
    var drain: String?

    /// Applies the flags and settings to the server's configuration.
    ///
    /// - Throws: `Failure` with exit code 64.
    func apply(
        to server: inout ServerConfiguration,
        _ settings: Settings
    ) async throws(Failure) {
        server.openRooms = try settings.isOn(.openRooms, openRooms)
        server.holdsSignals = try settings.isOn(.hold, hold)
        server.grace = try settings.required(.grace, grace, SettingText.duration)
        server.maximumConnections = try settings.value(
            .maxConnections,
            maxConnections,
            SettingText.number(in: 1 ... .max)
        )
        let perAddress = try settings.value(
            .connectionsPerAddress,
            connectionsPerAddress,
            SettingText.number(in: 0 ... .max)
        )
        server.connectionsPerAddress = perAddress == 0 ? .max : perAddress
        server.connectionsPerMinute = try limit(.connectionsPerMinute, connectionsPerMinute, settings)
        server.messagesPerSecond = try limit(.messagesPerSecond, messagesPerSecond, settings)
        server.bytesPerSecond = try limit(.bytesPerSecond, bytesPerSecond, settings, in: 0...1_000_000_000)
        for proxy in try settings.list(.trustedProxy, trustedProxy, Self.address) {
            server.trustedProxies.trust(proxy)
        }
        server.turn = try turnCredentials(settings)
        // Only the flag is used here: CALLRUNNER_STUN and the configuration file set STUN servers for calls.
        server.iceServers = try stun.isEmpty ? [] : settings.list(.stun, stun, ICEServerText.stun)
        if let file = try settings.value(.auth, auth, Self.keyFile) {
            server.tokenKey = try await TokenKey(file)
        }
    }

    /// Reads the time for which calls may continue after SIGTERM.
    ///
    /// - Throws: `Failure` with exit code 64.
    func drainTime(_ settings: Settings) throws(Failure) -> Duration {
        try settings.required(.drain, drain, SettingText.duration)
    }

    private func limit(
        _ setting: Setting,
        _ flag: String?,
        _ settings: Settings,
        in range: ClosedRange<Int> = 0...1_000_000
    ) throws(Failure) -> Int? {
        let number = try settings.required(setting, flag, SettingText.number(in: range))
        return number == 0 ? nil : number
    }

    private func turnCredentials(_ settings: Settings) throws(Failure) -> TURNCredentials? {
        guard let file = try settings.value(.turnSecret, turnSecret, KeyFile.init) else {
            // CALLRUNNER_TURN without a secret is valid, because it may be meant for calls.
            guard turn.isEmpty else {
                throw .usage(
                    "--turn needs --turn-secret",
                    hint: "give a file with coturn's static-auth-secret"
                )
            }
            return nil
        }
        let urls = try settings.list(.turn, turn, ICEServerText.sharedTURN)
        guard !urls.isEmpty else {
            throw .usage("--turn-secret needs --turn", hint: "give --turn turn:HOST:PORT")
        }
        guard let secret = file.secret else { throw .usage("--turn-secret: “\(file.path)” is empty") }
        try file.checkAccess()
        let timeToLive = try settings.required(.turnTTL, turnTtl, SettingText.duration)
        guard timeToLive >= .seconds(1) else { throw .usage("--turn-ttl must be at least one second") }
        return TURNCredentials(urls: urls, secret: secret, timeToLive: timeToLive)
    }

    private static func address(_ text: String) throws -> String {
        guard TrustedProxies.isAddress(text) else {
            throw SettingText.Problem("“\(text)” is not an IP address; write 192.0.2.1 or 2001:db8::1")
        }
        return text
    }

    private static func keyFile(_ text: String) throws -> KeyFile {
        guard text.hasPrefix("jwt:") else {
            throw SettingText.Problem("“\(text)” is not an authentication method; write jwt:KEYFILE")
        }
        return try KeyFile(String(text.dropFirst(4)))
    }
}

extension TokenKey {
    /// Creates a key from the contents of a key file.
    ///
    /// - Throws: `Failure` with exit code 64 if the key is invalid, or if other users can change it or read a
    ///   secret.
    init(_ file: KeyFile) async throws(Failure) {
        do throws(TokenKeyError) {
            try await self.init(file.bytes)
        } catch {
            throw .usage("“\(file.path)”: \(error)", hint: "give a secret, or a P-256 key as PEM")
        }
        try file.checkAccess(isSecret: isSecret)
    }
}
