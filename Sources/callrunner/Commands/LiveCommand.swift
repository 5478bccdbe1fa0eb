internal import ArgumentParser
internal import Basics
internal import LiveCore
internal import MediaKit

/// The command that plays a live stream or a file.
struct LiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Play a live stream (HLS) or a file.",
        usage: "callrunner live [<address>] <options>",
        discussion: """
            ADDRESS is the URL of a playlist, the playback ID of a stream, or a file.
            Without it, the stream “demo” of the local server is played, which
            `callrunner serve --live-file FILE` offers.

            The first frame must arrive within --server-timeout. After it, a lost stream
            is opened again until it plays, or until the command is interrupted.

            EXAMPLES
              callrunner live                                # demo of the local server
              callrunner live https://HOST/NAME.m3u8 --json
              callrunner live PLAYBACK_ID --duration 10s     # of stream.mux.com
              callrunner live film.mp4 --loop --speaker default

            EXIT CODES
              0    the stream was played
              2    the server was not reached, or nobody publishes the stream
              3    the stream cannot be played
              4    the server refuses the stream
              64   usage error
            """
    )

    @Argument(
        help: ArgumentHelp(
            "URL, playback ID or file (default: “demo” of the local server).",
            valueName: "address"
        )
    )
    var address: String?

    @Flag(help: "Play a file over and over.")
    var loop = false

    @Flag(help: "Show the video in a window (the default with a display).")
    var window = false

    @Flag(help: "Show nothing (the default without a display).")
    var headless = false

    @Option(help: ArgumentHelp("Base of the URLs of playback IDs", .live, "url"))
    var live: String?

    @Option(help: ArgumentHelp("End after this time of playing", .duration, "time"))
    var duration: String?

    @Option(
        help: ArgumentHelp("Time to the first frame after which the command gives up", .serverTimeout, "time")
    )
    var serverTimeout: String?

    @Option(
        help: ArgumentHelp(
            "Loudspeaker: default, none, or one that `callrunner devices` lists",
            .speaker,
            "name",
            otherwise: "`default` with a window, else none"
        )
    )
    var speaker: String?

    @Option(help: ArgumentHelp("Playback volume in percent, 0 to 150", .volume, "percent"))
    var volume: String?

    @OptionGroup var templates: TemplateFlags

    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let program = LiveProgram(try request(surroundings.settings), surroundings)
            let watch = InterruptionWatch()
            return try await watch.during(surroundings.console, surroundings.events) {
                try await program.play(until: watch.store)
            }
        }
    }

    /// Checks the flags and settings.
    ///
    /// - Throws: `Failure` with exit code 64.
    private func request(_ settings: Settings) throws(Failure) -> LiveRequest {
        var request = LiveRequest(
            address: .url("\(EmbeddedServer.defaultURL)/demo.m3u8"),
            timeout: try settings.required(.serverTimeout, serverTimeout, SettingText.duration)
        )
        let base = try settings.required(.live, live, SettingText.serverURL)
        if let address {
            do throws(LiveFailure) { request.address = try LiveAddress(address, base: base) } catch {
                throw .usage(error.message, hint: error.hint)
            }
        }
        request.options.loops = loop
        request.options.audio.volume = try settings.required(
            .volume,
            volume,
            SettingText.number(in: PlaybackVolume.range)
        )
        request.speaker = try settings.text(.speaker, speaker).map { AudioSettings.Choice($0) } ?? .automatic
        request.presentation = try Presentation(
            window: window,
            headless: headless,
            settings
        )
        request.duration = try settings.value(.duration, duration, SettingText.duration)
        request.pipelines = try settings.text(.pipelines, templates.pipelines)
        return request
    }
}
