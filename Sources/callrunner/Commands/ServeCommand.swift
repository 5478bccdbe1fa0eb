internal import ArgumentParser
internal import CallFlow
internal import SignalingServer
internal import SocketIO

/// Runs the signaling server until it is interrupted.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the signaling server.",
        discussion: """
            EXAMPLES
              callrunner serve
              callrunner serve --host 0.0.0.0 --port 3000
              callrunner serve --port 0 --json   # any free port, told in the first line

            A room holds one caller and one callee. Clients speak Socket.IO 5 over
            WebSocket. The server runs until SIGINT (exit code 130) or SIGTERM (143), and
            tells everybody connected that it goes.
            """
    )

    @Option(help: ArgumentHelp("Address to listen on", .host, "address"))
    var host: String?

    @Option(help: ArgumentHelp("Port to listen on; 0 takes any free one", .port, "n"))
    var port: String?

    @Option(help: ArgumentHelp("Origins that browsers may come from, separated by commas", .origin, "list"))
    var origin: String?

    @Option(help: ArgumentHelp("How long a lost peer may take to come back", .grace, "duration"))
    var grace: String?

    @Option(
        help: ArgumentHelp(
            "Connections at most",
            .maxConnections,
            "n",
            otherwise: "the limit of descriptors less 64"
        )
    )
    var maxConnections: String?

    @Flag(help: "Let any number of callers and callees into a room.")
    var openRooms = false

    @Flag(help: "Send roomId and isCaller as strings, as the Node server does.")
    var stringPayloads = false

    @OptionGroup(title: "HTTPS and log") var front: FrontFlags

    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let (console, events) = (surroundings.console, surroundings.events)
            var server = try server(surroundings.settings)
            let front = try await ServerFront(front, surroundings, host: server.host)
            server.tls = front.tls
            let watch = InterruptionWatch()
            return try await watch.during(console, events, onHangUp: front.onHangUp) {
                try await SignalingServer.run(
                    server,
                    routes: front.routes,
                    monitor: front.monitor,
                    logger: front.logger
                ) { listening in
                    var fields: JSONObject = ["url": .string(listening.url)]
                    if let tls = front.tls { fields["fingerprint"] = .string(tls.fingerprint) }
                    await events.write("server.listening", fields)
                    front.announce(listening)
                    for await interruption in watch.store.states where interruption?.exit != nil { return }
                }
                front.say("everybody has been told; closed")
                return watch.store.state?.exit ?? 0
            }
        }
    }

    /// - Throws: `Failure` with exit code 64.
    func server(_ settings: Settings) throws(Failure) -> ServerConfiguration {
        var server = ServerConfiguration()
        server.host = try settings.required(.host, host) { $0 }
        server.port = try settings.required(.port, port, SettingText.number(in: 0...65_535))
        server.origin = try settings.required(.origin, origin) { $0 }
        server.grace = try settings.required(.grace, grace, SettingText.duration)
        server.maximumConnections = try settings.value(
            .maxConnections,
            maxConnections,
            SettingText.number(in: 1 ... .max)
        )
        server.openRooms = try settings.isOn(.openRooms, openRooms)
        server.stringPayloads = try settings.isOn(.stringPayloads, stringPayloads)
        return server
    }
}
