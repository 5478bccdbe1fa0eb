internal import ArgumentParser
internal import CallCore
internal import CallFlow
internal import RedisKit
internal import SignalingServer
internal import SocketIO

/// The command that runs the signaling server until it is interrupted.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the signaling server, with a page for browsers.",
        discussion: """
            EXAMPLES
              callrunner serve
              callrunner serve --host 0.0.0.0 --port 3000
              callrunner serve --port 0 --json   # any free port, told in the first line
              callrunner serve --host 0.0.0.0 --tls self-signed --auth jwt:room.key

            A room holds one caller and one callee. Clients speak Socket.IO 5, browsers
            open the server's address. The server runs until SIGINT (exit code 130) or
            SIGTERM (143), and tells everybody connected that it goes. At SIGTERM calls may
            go on for a while, and newcomers are told when to come again; a second signal
            ends at once. /healthz, /readyz and /metrics tell how it is.

            Web pages of the server itself may connect, and clients that are no browser;
            pages from elsewhere, as of a web app's own server, are named: --origin
            http://localhost:5173. On loopback the server answers under localhost and its
            addresses alone; names that a proxy brings are given by --public-host.

            With --auth jwt:KEYFILE whoever joins needs a token: see `callrunner help
            token`. With --redis several servers share their rooms: peers meet wherever each
            of them is connected (docs/SCALING.md).

            As a service of systemd it tells when it is ready and when it stops.

            With --chaos PROFILE it misbehaves on purpose, to test what is to bear that:
            \(ChaosFlags.table)
            PROFILE:P has each happen with probability P, as in lossy:0.5. What is done
            wrong is logged, and is the same for the same seed and events of a room.
            """
    )

    @Option(help: ArgumentHelp("Address to listen on", .host, "address"))
    var host: String?

    @Option(help: ArgumentHelp("Port to listen on; 0 takes any free one", .port, "n"))
    var port: String?

    @Option(
        help: ArgumentHelp(
            "Origins of web pages that may connect too, as https://HOST:PORT, separated by commas; * for any",
            .origin,
            "list",
            otherwise: "the server's own"
        )
    )
    var origin: String?

    @Option(
        help: ArgumentHelp(
            "Names by which a proxy or a tunnel reaches the server, as HOST or HOST:PORT, separated by commas",
            .publicHost,
            "list",
            otherwise: "localhost and its addresses where it listens there alone, else any"
        )
    )
    var publicHost: String?

    @Flag(help: "Send roomId and isCaller as strings, as the Node server does.")
    var stringPayloads = false

    @OptionGroup(title: "Rooms and limits") var policy: PolicyFlags
    @OptionGroup(title: "More than one server") var cluster: ClusterFlags
    @OptionGroup(title: "HTTPS and log") var front: FrontFlags
    @OptionGroup(title: "Misbehaviour for tests") var chaos: ChaosFlags

    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let (console, events) = (surroundings.console, surroundings.events)
            var server = try await server(surroundings.settings)
            let front = try await ServerFront(front, surroundings, host: server.host)
            server.tls = front.tls
            let drain = try policy.drainTime(surroundings.settings)
            let manager = ServiceManager(surroundings.environment, console)
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
                    if let chaos = server.chaos {
                        fields["chaos"] = .string(chaos.profile.text)
                        fields["seed"] = .int(Int(clamping: chaos.seed))
                    }
                    await events.write("server.listening", fields)
                    front.announce(listening)
                    if let chaos = server.chaos {
                        front.warn(
                            "misbehaves on purpose: --chaos \(chaos.profile.text) --seed \(chaos.seed)"
                        )
                    }
                    if server.cluster?.redis.address.exposesPassword == true {
                        front.warn("the password goes to Redis in the clear; rediss:// keeps it secret")
                    }
                    manager.tell(.ready, status: "listening on \(listening.url)")
                    var last: Interruption?
                    for await interruption in watch.store.states where interruption?.exit != nil {
                        last = interruption
                        break
                    }
                    manager.tell(.stopping, status: "letting calls end")
                    if last == .terminate {
                        await events.write("server.draining", ["limit": .number(drain / .seconds(1))])
                        front.say("letting calls end, for \(DurationText(drain)) at most")
                        await listening.drain(within: drain)
                    }
                }
                front.say("everybody has been told; closed")
                return watch.store.state?.exit ?? 0
            }
        }
    }

    /// Creates the server's configuration from the flags and settings.
    ///
    /// - Throws: `Failure` with exit code 64.
    func server(_ settings: Settings) async throws(Failure) -> ServerConfiguration {
        var server = ServerConfiguration()
        server.host = try settings.required(.host, host) { $0 }
        server.port = try settings.required(.port, port, SettingText.number(in: 0...65_535))
        server.origin = try settings.value(.origin, origin) { try OriginPolicy($0) } ?? server.origin
        server.publicHosts =
            try settings.value(.publicHost, publicHost) { try PublicHosts($0) } ?? server.publicHosts
        server.stringPayloads = try settings.isOn(.stringPayloads, stringPayloads)
        try await policy.apply(to: &server, settings)
        server.chaos = try chaos.configuration(settings)
        server.cluster = try cluster.configuration(settings)
        guard server.cluster == nil || server.chaos == nil else {
            throw .usage("--chaos and --redis exclude each other", hint: "let one server misbehave by itself")
        }
        return server
    }
}
