internal import ArgumentParser

/// The flags for the source of media that is sent.
struct SourceFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Source to send: auto (a working camera, else the test video), test (the test video), camera or \
            camera:DEVICE, screen, pattern, none, a media file, an http://, https:// or rtsp:// address, or a \
            pipeline template of your own, FILE.pipeline
            """,
            .source,
            "source"
        )
    )
    var source: String?

    @Option(
        help: ArgumentHelp(
            "Resolution from camera, screen or pattern, as in 640x360",
            .size,
            "WxH",
            otherwise: "1280x720; with screen, the screen's own"
        )
    )
    var size: String?

    @Option(
        help: ArgumentHelp(
            "Frames per second from camera, screen or pattern",
            .fps,
            "n",
            otherwise: "30"
        )
    )
    var fps: String?

    @Option(
        help: ArgumentHelp(
            "Position in a file at which playback and each repetition start",
            .start,
            "duration"
        )
    )
    var start: String?

    @Flag(help: "End at the end of the file, instead of repeating the file.")
    var once = false
}
