internal import ArgumentParser
internal import CallCore
internal import CallMedia

/// The flags of `callrunner call`.
struct CallFlags: ParsableArguments {
    // MARK: Room

    @Option(help: ArgumentHelp("Room to join: a whole number from 1.", valueName: "n"))
    var room: String

    @Flag(help: "Take the caller's role; without it, the callee's.")
    var caller = false

    @Option(help: ArgumentHelp("Username (default: the login name).", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Signaling server (default: http://127.0.0.1:3000, embedded where nothing listens there).",
            valueName: "url"
        )
    )
    var server: String?

    @Option(help: ArgumentHelp("Room token; better in CALLRUNNER_TOKEN.", valueName: "text"))
    var token: String?

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Certificates to trust besides the system's.", valueName: "file")
    )
    var caCertificate: String?

    @Flag(help: "Accept any server certificate.")
    var insecure = false

    // MARK: Media

    @Option(
        help: ArgumentHelp(
            "auto, test, camera[:DEV], pattern, none, or a file (default: auto).",
            valueName: "source"
        )
    )
    var source = "auto"

    @Flag(help: "Show the call in a window; an error where there is no display.")
    var window = false

    @Flag(help: "Show nothing and decode nothing.")
    var headless = false

    @Option(help: ArgumentHelp("Record the remote side, as .mkv, .mp4 or .webm.", valueName: "file"))
    var record: String?

    @Option(help: ArgumentHelp("Record what was sent.", valueName: "file"))
    var recordLocal: String?

    @Flag(help: "Let recordings replace files.")
    var overwrite = false

    @Option(help: ArgumentHelp("Codecs in order of preference, as in VP8,H264,OPUS.", valueName: "list"))
    var codec: String?

    @Option(help: ArgumentHelp("STUN server, as in stun:host:port.", valueName: "url"))
    var stun: [String] = []

    @Option(help: ArgumentHelp("TURN server, as in turn:user:secret@host:port.", valueName: "url"))
    var turn: [String] = []

    @Option(help: ArgumentHelp("Folder with the pipeline descriptions.", valueName: "dir"))
    var pipelines: String?

    // MARK: Time

    @Option(help: ArgumentHelp("Hang up so long after media connected.", valueName: "duration"))
    var duration: Span?

    @Option(help: ArgumentHelp("Give up on the first connection to the server.", valueName: "duration"))
    var serverTimeout = Span(.seconds(10))

    @Option(
        help: ArgumentHelp("Give up waiting for a peer or an offer (default: never).", valueName: "duration")
    )
    var peerTimeout: Span?

    @Option(help: ArgumentHelp("Limit of one attempt, from the answer to media.", valueName: "duration"))
    var connectTimeout = Span(.seconds(15))

    @Option(help: ArgumentHelp("How long to ring a person who does not answer.", valueName: "duration"))
    var ringTimeout = Span(.seconds(45))

    @Option(help: ArgumentHelp("Attempts after the first; -1 for endless (default: 4).", valueName: "n"))
    var retries: Int?

    @Flag(help: "After a call, back to the room for the next one.")
    var stay = false

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("Calls to hold, one after another.", valueName: "n")
    )
    var repeatCount = 1

    @Option(help: ArgumentHelp("Between repeated calls.", valueName: "duration"))
    var pause = Span(.zero)
}
