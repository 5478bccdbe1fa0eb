internal import ArgumentParser

/// The command that opens the windowed application.
struct OpenApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Open the application: watch a stream, see the people in a room, call them.",
        discussion: """
            A window with a live stream at its Home, and the screens for calls: login,
            room, call and settings. Name, room and role are remembered in
            ~/.config/callrunner until you log out; a room token is kept in the keyring, or
            in a file that only you can read. If no server is given and nothing listens at
            the default address, the app runs a server there itself.

            EXAMPLES
              callrunner app
              callrunner app --open calls
              callrunner app --server https://example.org --source camera
              callrunner app --source test --json

            KEYS
              Tab, Return, Esc    next control, press it, back
              m v f + -           in a call: mute, camera, full screen, volume
              m Space f p + -     at Home: sound, pause, full screen, picture in
                                  picture, volume
              q                   in a call: hang up
              Return, Esc         during an incoming call: answer, decline
              Esc                 leave full screen, or close what is open; pressed
                                  twice in a call: hang up

            EXIT CODES
              0    the window was closed
              3    the installation is incomplete
              64   usage error, no display
              129, 130, 143  interrupted, after hanging up
            """
    )

    @OptionGroup(title: "Room") var server: AppFlags
    @OptionGroup(title: "Media") var media: MediaFlags
    @OptionGroup(title: "Audio") var audio: AudioFlags
    @OptionGroup(title: "Network") var network: NetworkFlags
    @OptionGroup(title: "Control") var control: ControlFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output, summarizes: true) { surroundings in
            let request = try AppRequest(self, surroundings.settings)
            let watch = InterruptionWatch()
            return try await watch.during(surroundings.console, surroundings.events) {
                try await AppProgram(
                    request: request,
                    surroundings: surroundings,
                    interruption: watch.store
                ).hold()
            }
        }
    }
}

/// The flags for the application's signaling server.
struct AppFlags: ParsableArguments {
    @Option(help: "Signaling server, instead of the one set in the app.")
    var server: String?

    @Option(help: "Room token, instead of the one set in the app; better set in CALLRUNNER_TOKEN.")
    var token: String?

    @Option(
        help: ArgumentHelp(
            "Show this part first: home, library, chats, calls, account or settings.",
            valueName: "part"
        )
    )
    var open = "home"

    @Flag(help: ArgumentHelp("Refused, with a hint on the command to use instead.", visibility: .hidden))
    var headless = false

    @Flag(help: ArgumentHelp("Show every control of the window in every state.", visibility: .hidden))
    var gallery = false

    @OptionGroup var trust: TrustFlags
}
