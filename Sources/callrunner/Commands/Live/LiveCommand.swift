internal import ArgumentParser
internal import Basics
internal import FoundationEssentials
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
              callrunner live URL --record '{time}.mkv'      # survives a kill

            EXIT CODES
              0    the stream was played
              2    the server was not reached, or nobody publishes the stream
              3    the stream cannot be played
              4    the server refuses the stream
              5    the recording failed, or has nothing to keep
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

    @Flag(help: "Play a file in a loop.")
    var loop = false

    @Flag(help: "Show the video in a window (the default with a display).")
    var window = false

    @Flag(help: "Show nothing (the default without a display).")
    var headless = false

    @Option(help: ArgumentHelp("Base URL of playback IDs", .live, "url"))
    var live: String?

    @Option(
        help: ArgumentHelp(
            "Also record the stream to this .mkv or .mp4 file, as it arrives.",
            valueName: "file"
        )
    )
    var record: String?

    @Flag(help: "Replace an existing recording.")
    var overwrite = false

    @Option(help: ArgumentHelp("End after playing for this time", .duration, "time"))
    var duration: String?

    @Option(
        help: ArgumentHelp("Time limit for the first frame", .serverTimeout, "time")
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
            var request = try request(surroundings.settings)
            if let record { request.recording = try reserve(record, whilePlaying: request.address) }
            let program = LiveProgram(request, surroundings)
            let watch = InterruptionWatch()
            return try await watch.during(surroundings.console, surroundings.events) {
                try await program.play(until: watch.store)
            }
        }
    }

    /// Reserves the file of the recording.
    ///
    /// - Throws: `Failure` with exit code 64 for a name that is not valid, or `MediaFailure.recording`.
    private func reserve(_ text: String, whilePlaying address: LiveAddress) throws -> RecordingFile {
        let destination: Destination
        do { destination = try Destination(text) } catch { throw Failure.usage("--record: \(error)") }
        guard destination.container != .webm else {
            throw Failure.usage("--record: a stream can be recorded only to .mkv or .mp4")
        }
        let template = destination.template.filled([.time: NameTemplate.stamp(of: .now)])
        guard template.placeholders.isEmpty else {
            throw Failure.usage("--record: {time} is the only placeholder for a stream's recording")
        }
        if case .file(let path) = address, RecordingFile.areSame(path, template.path) {
            throw Failure.usage("--record: \(path) is the file that is played")
        }
        return try RecordingFile(named: template, container: destination.container, overwrite: overwrite)
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
        guard record != nil || !overwrite else {
            throw .usage("--overwrite has no effect without --record", hint: "give --record too")
        }
        return request
    }
}
