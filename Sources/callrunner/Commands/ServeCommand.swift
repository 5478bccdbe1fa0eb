internal import ArgumentParser
internal import FoundationEssentials
internal import Logging
internal import SignalingServer
internal import SocketIO
internal import UnixSignals

/// Runs the signaling server until SIGINT or SIGTERM.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the signaling server.",
        discussion: """
            EXAMPLES
              callrunner serve
              callrunner serve --host 0.0.0.0 --port 3000
              callrunner serve --port 0 --json        # any free port, told in the first line

            Rooms hold one caller and one callee. Clients speak Socket.IO 5 over WebSocket.
            """
    )

    @Option(help: "Address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "Port to listen on; 0 takes any free one.")
    var port = 3000

    @Option(help: "Origin that browsers may come from.")
    var origin = "*"

    @Option(help: ArgumentHelp("How long a lost peer may take to come back.", valueName: "duration"))
    var grace = Span(.seconds(2))

    @Option(
        help: ArgumentHelp("Connections at most (default: what the descriptor limit allows).", valueName: "n")
    )
    var maxConnections: Int?

    @Flag(help: "Let any number of callers and callees into a room.")
    var openRooms = false

    @Flag(help: "Send roomId and isCaller as strings, as the Node server does.")
    var stringPayloads = false

    @OptionGroup var output: OutputFlags

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port must be from 0 to 65535") }
        guard maxConnections.map({ $0 > 0 }) ?? true else {
            throw ValidationError("--max-connections must be above 0")
        }
    }

    func run() async throws {
        let console = output.console(environment: ProcessInfo.processInfo.environment)
        let events = EventWriter(isEnabled: output.json)
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        do {
            let signal = try await SignalingServer.run(server, logger: Logger(label: "callrunner.server")) {
                listening in
                await events.write("server.listening", ["url": .string(listening.url)])
                console.say("listening on \(listening.url) (Ctrl-C ends)")
                for await signal in signals { return signal }
                return UnixSignal.sigterm
            }
            console.say("everybody has been told; closed")
            throw ExitCode(signal == .sigint ? 130 : 143)
        } catch let error as ServerError {
            console.fail("\(error)", hint: "see which process listens there with `ss -ltnp`")
            await events.write(
                "error",
                ["code": "address-in-use", "message": .string("\(error)"), "exit": 4]
            )
            throw ExitCode(4)
        }
    }

    private var server: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.host = host
        configuration.port = port
        configuration.origin = origin
        configuration.grace = grace.duration
        configuration.openRooms = openRooms
        configuration.stringPayloads = stringPayloads
        configuration.maximumConnections = maxConnections
        return configuration
    }
}
