internal import ArgumentParser
internal import Basics
internal import Glibc
internal import MediaKit

/// The command that publishes a source as a live stream.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish a live stream to a server by RTMP.",
        usage: "callrunner publish --to <url> <options>",
        discussion: """
            The URL is rtmp://HOST/APP/KEY or rtmps://…, as streaming services give it.
            Other users of this machine see the arguments of a command, so give the key
            in the environment variable CALLRUNNER_STREAM_KEY instead, or write
            --to @FILE with a file that contains the URL.

            H.264 that a call can send is published as it is; other video is encoded as
            H.264, and audio as AAC, which needs a processor. A connection that is lost
            is established again, until the source ends or the command is interrupted.

            EXAMPLES
              callrunner publish --to rtmp://127.0.0.1/app/KEY
              callrunner publish --to @url.txt --source film.mp4 --once
              CALLRUNNER_STREAM_KEY=… callrunner publish --to rtmps://HOST/app

            EXIT CODES
              0    the source was published to its end, or for --duration
              2    the server was not reached
              3    the source cannot be read or encoded
              4    the server refuses the stream, or is not trusted
              64   usage error
            """
    )

    @Option(
        help: ArgumentHelp(
            "URL of the server with the stream key, or @FILE that contains it.",
            valueName: "url"
        )
    )
    var to: String

    @OptionGroup var input: SourceFlags

    @Option(help: ArgumentHelp("End after this time", .duration, "time"))
    var duration: String?

    @OptionGroup var trust: TrustFlags

    @OptionGroup var templates: TemplateFlags

    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let settings = surroundings.settings
            let installation = try Installation(
                pipelines: settings.text(.pipelines, templates.pipelines),
                environment: surroundings.environment
            )
            let program = PublishProgram(
                source: try request(settings, installation),
                target: try PublishTarget(
                    to,
                    flag: "--to",
                    trusting: trust.authorities(settings),
                    surroundings.environment
                ),
                duration: try settings.value(.duration, duration, SettingText.duration),
                surroundings: surroundings
            )
            let watch = InterruptionWatch()
            return try await watch.during(surroundings.console, surroundings.events) {
                try await program.run(until: watch.store)
            }
        }
    }

    /// Checks the flags of the source.
    ///
    /// - Throws: `Failure` with exit code 64.
    private func request(
        _ settings: Settings,
        _ installation: Installation
    ) throws(Failure) -> SourceRequest {
        let choice = try settings.required(.source, input.source, MediaRequest.source)
        switch choice {
        case .auto, .test, .camera, .pattern, .screen, .file, .description: break
        case .none: throw .usage("--source none publishes nothing", hint: "give another source")
        case .url:
            throw .usage(
                "--source: the media of an address cannot be published",
                hint: "download it, and give the file"
            )
        }
        return SourceRequest(
            choice: choice,
            settings: try MediaRequest.sourceSettings(input, settings, for: choice),
            testVideo: installation.testVideo,
            kinds: Set(MediaKind.allCases),
            preferredCamera: nil,
            library: installation.library
        )
    }
}
