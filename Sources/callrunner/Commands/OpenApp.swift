internal import ArgumentParser

/// The command that opens the windowed application.
struct OpenApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Open the application: log in, see who is in the room, call.",
        discussion: """
            Three screens in a window: who you are and which room, the room, the call. Name,
            room and role are remembered in ~/.config/callrunner until you log out; a room
            token is kept in the keyring, or in a file that only you can read. Where no
            server is named and nothing listens at the default address, the app serves there
            itself.

            EXAMPLES
              callrunner app
              callrunner app --server https://example.org --source camera
              callrunner app --source test --json

            KEYS
              Tab, Return, Esc    from control to control, press, back
              m v f + -           in a call: mute, camera, full screen, the peer's loudness
              q                   in a call: hang up
              Return, Esc         while somebody calls: answer, decline
              Esc                 leave the full screen, or close what is open; in a
                                  call it asks, and a second Esc hangs up

            EXIT CODES
              0    the window was closed
              3    the installation is not whole
              64   wrong usage, no display
              129, 130, 143  interrupted, after hanging up
            """
    )

    @OptionGroup(title: "Room") var server: AppFlags
    @OptionGroup(title: "Media") var media: MediaFlags
    @OptionGroup(title: "Sound") var sound: AudioFlags
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

/// The flags for the server of the application's rooms.
struct AppFlags: ParsableArguments {
    @Option(help: "Signaling server, in place of the one set in the app.")
    var server: String?

    @Option(help: "Room token, in place of the one set in the app; better in CALLRUNNER_TOKEN.")
    var token: String?

    @Flag(help: ArgumentHelp("Refused, with a word on what to use instead.", visibility: .hidden))
    var headless = false

    @OptionGroup var trust: TrustFlags
}
