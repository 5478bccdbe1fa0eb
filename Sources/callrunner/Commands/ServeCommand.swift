internal import AppFlow
internal import ArgumentParser
internal import Basics
internal import HTTPFront
internal import LiveServer
internal import RedisKit
internal import ServerStore
internal import SignalingServer

/// The command that runs the signaling server until it is interrupted.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the signaling server, with a page for browsers.",
        discussion: """
            EXAMPLES
              callrunner serve
              callrunner serve --host 0.0.0.0 --port 3000
              callrunner serve --port 0 --json   # any free port, printed in the first line
              callrunner serve --host 0.0.0.0 --tls self-signed --auth jwt:room.key

            A room holds one caller and one callee. Clients speak protocol 5 of Socket.IO,
            browsers open the server's address. The server runs until SIGINT (exit code
            130) or SIGTERM (143), and notifies every client that it is shutting down.
            After SIGTERM calls may continue for a while, and new clients are told when to
            try again; a second signal ends the server at once. /healthz, /readyz and
            /metrics show its state.

            The server's own web pages may connect, and clients that are not browsers.
            Allow pages of other origins, such as a web app's development server, with
            --origin http://localhost:5173. On loopback the server accepts only the host
            localhost and its addresses; allow the host names of a proxy with
            --public-host.

            It also keeps accounts: people sign in with a phone and a code. On loopback
            everybody's code is 133337; for others, give a program that sends codes to
            phones with --sms-command. It also has a chat (docs/chat.md): conversations
            at /ws/chat, and people at /api/users, of whom the server simulates 15 as long
            as only this machine reaches it. --backup FILE copies the database of a running
            server.

            With --auth jwt:KEYFILE every client that joins needs a token: see `callrunner
            help token`. With --redis several servers share their rooms: peers meet, no
            matter which server each of them is connected to (docs/SCALING.md).

            As a systemd service it notifies systemd when it is ready and when it stops.

            With --chaos PROFILE it injects faults, to test that clients tolerate them:
            \(ChaosFlags.table)
            PROFILE:P changes the probability of the faults, as in lossy:0.5. Every fault
            is logged. The same seed and events of a room give the same faults.
            """
    )

    @Option(help: ArgumentHelp("Address to listen on", .host, "address"))
    var host: String?

    @Option(help: ArgumentHelp("Port to listen on; 0 takes any free one", .port, "n"))
    var port: String?

    @Option(
        help: ArgumentHelp(
            "Additional origins of web pages that may connect, as https://HOST:PORT, separated by commas; * for any",
            .origin,
            "list",
            otherwise: "the server's own"
        )
    )
    var origin: String?

    @Option(
        help: ArgumentHelp(
            "Host names under which a proxy or a tunnel reaches the server, as HOST or HOST:PORT, separated by commas",
            .publicHost,
            "list",
            otherwise: "on loopback, localhost and its addresses; otherwise any host"
        )
    )
    var publicHost: String?

    @Flag(help: "Send roomId and isCaller as strings, as the Node server does.")
    var stringPayloads = false

    @OptionGroup(title: "Rooms and limits") var policy: PolicyFlags
    @OptionGroup(title: "Accounts and chat") var accounts: AccountsFlags
    @OptionGroup(title: "Live streams") var live: LiveServerFlags
    @OptionGroup(title: "More than one server") var cluster: ClusterFlags
    @OptionGroup(title: "HTTPS and log") var front: FrontFlags
    @OptionGroup(title: "Faults for tests") var chaos: ChaosFlags

    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let (console, events) = (surroundings.console, surroundings.events)
            if let copy = accounts.backup { return try await backUp(to: copy, surroundings) }
            var server = try await server(surroundings.settings)
            let front = try await ServerFront(front, surroundings, host: server.host)
            server.tls = front.tls
            let drain = try policy.drainTime(surroundings.settings)
            let file = try surroundings.settings.text(.liveFile, live.liveFile).map { path in
                try ServedFile.check(path)
                let installation = try Installation(pipelines: nil, environment: surroundings.environment)
                return ServedFile(path, installation, logger: front.logger) { front.warn($0) }
            }
            let stored = try await ServedServices.open(accounts, surroundings, server, logger: front.logger)
            var services = stored.services(front.logger)
            let streams = try await ServedStreams.open(live, surroundings, server, stored.store)
            if let streams { services += streams.services(front.logger) }
            let hasStreams = file != nil || streams != nil
            if hasStreams {
                services.append(
                    LiveService(logger: front.logger, recordedStreams: streams?.streams) {
                        file?.channel($0) ?? streams?.streams.channel($0)
                    }
                )
            }
            services.append(
                front.page(offering: stored.names + (hasStreams ? ["live"] : [])) { text in
                    streams?.streams.add(to: &text)
                }
            )
            server.passCheck = stored.accounts.passCheck
            let manager = ServiceManager(surroundings.environment, console)
            let watch = InterruptionWatch()
            return try await watch.during(console, events, onHangUp: front.onHangUp) {
                try await Self.explainingUse {
                    try await SignalingServer.run(
                        server,
                        services: services,
                        monitor: front.monitor,
                        logger: front.logger
                    ) { listening in
                        func attend(_ ingest: String?) async {
                            await serve(
                                listening,
                                server,
                                front,
                                stored,
                                ingest,
                                surroundings,
                                manager,
                                watch.store,
                                drain
                            )
                        }
                        func offerFile(_ ingest: String?) async {
                            guard let file else { return await attend(ingest) }
                            await file.offer {
                                front.say("live stream: \(ServedFile.url(on: listening.url))")
                                await attend(ingest)
                            }
                        }
                        guard let streams else { return await offerFile(nil) }
                        try await streams.offer(
                            on: server.host,
                            server.tls,
                            logger: front.logger,
                            offerFile
                        )
                    }
                }
                front.say("all clients have been notified; closed")
                return watch.store.state?.exit ?? 0
            }
        }
    }

    /// Calls `body`; if a server of callrunner already listens on the address, the error says so.
    private static func explainingUse(_ body: () async throws -> Void) async throws {
        do { try await body() } catch ServerError.addressInUse(let host, let port) {
            let error = ServerError.addressInUse(host: host, port: port)
            let reached =
                ["0.0.0.0": "127.0.0.1", "::": "[::1]"][host] ?? (host.contains(":") ? "[\(host)]" : host)
            guard await ServerProbe("http://\(reached):\(port)") == .callrunner else { throw error }
            var failure = Failure(error)
            failure.message +=
                " by another callrunner process: the app, a call or `callrunner serve`"
            failure.hint =
                "open http://\(reached):\(port)/ in a browser; if it shows no page, choose another --port"
            throw failure
        }
    }

    /// Announces the server, waits for an interruption and, after SIGTERM, drains the server.
    private func serve(
        _ listening: ListeningServer,
        _ server: ServerConfiguration,
        _ front: ServerFront,
        _ stored: ServedServices,
        _ ingest: String?,
        _ surroundings: Surroundings,
        _ manager: ServiceManager,
        _ interruption: StateStore<Interruption?>,
        _ drain: Duration
    ) async {
        let events = surroundings.events
        var fields: JSONObject = ["url": .string(listening.url)]
        if let tls = front.tls { fields["fingerprint"] = .string(tls.fingerprint) }
        if let chaos = server.chaos {
            fields["chaos"] = .string(chaos.profile.text)
            fields["seed"] = .int(Int(clamping: chaos.seed))
        }
        for (key, value) in stored.fields { fields[key] = value }
        if let ingest { fields["rtmp"] = .string(ingest) }
        await events.write("server.listening", fields)
        front.announce(listening)
        stored.announce(front)
        if let ingest { front.say("encoders publish to \(ingest) with the key of a stream") }
        if let chaos = server.chaos {
            front.warn(
                "the server injects faults on purpose: "
                    + "--chaos \(chaos.profile.text) --seed \(chaos.seed)"
            )
        }
        if server.cluster?.redis.address.exposesPassword == true {
            front.warn("the password is sent to Redis unencrypted; use rediss:// to encrypt it")
        }
        manager.notify(.ready, status: "listening on \(listening.url)")
        var last: Interruption?
        for await reason in interruption.states where reason?.exit != nil {
            last = reason
            break
        }
        let status = last == .terminate ? "closing when all calls have ended" : "stopping"
        manager.notify(.stopping, status: status)
        if last == .terminate {
            await events.write("server.draining", ["limit": .number(drain / .seconds(1))])
            front.say("\(status), after \(DurationText(drain)) at most")
            await listening.drain(within: drain)
        }
    }

    /// Copies the database, even if a server is using it.
    ///
    /// - Throws: `Failure`.
    private func backUp(to copy: String, _ surroundings: Surroundings) async throws(Failure) -> Int32 {
        guard let folder = try AccountsFlags.folder(surroundings.settings, accounts.data) else {
            throw .usage("--backup: there is no folder with data", hint: "give it with --data")
        }
        do throws(ServerStoreFailure) {
            try await ServerDatabase.backUp(folder, to: copy)
        } catch {
            throw Failure(
                code: "backup",
                message: error.message,
                hint: "check the name of the new file, and the folder given with --data",
                exit: RunStatus.signalingFailed.rawValue
            )
        }
        await surroundings.events.write("server.backup", ["file": .string(copy)])
        surroundings.console.say("the database in \(folder.path) is copied to \(copy)")
        return 0
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
            throw .usage(
                "--chaos and --redis cannot be used together",
                hint: "use --chaos with a single server"
            )
        }
        return server
    }
}
