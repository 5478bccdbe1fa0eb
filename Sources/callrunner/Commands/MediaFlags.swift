internal import ArgumentParser

/// What is sent and shown.
struct MediaFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            What to send: auto (a camera that works, else the test video), test (the test video), camera or \
            camera:DEVICE, pattern, none, or an MP4 or MKV file
            """,
            .source,
            "source"
        )
    )
    var source: String?

    @Flag(help: "Show the call in a window (the default where there is a display).")
    var window = false

    @Flag(help: "Show nothing and decode nothing (the default where there is no display).")
    var headless = false

    @Option(
        help: ArgumentHelp(
            "Codecs to use, the best first, of H264, VP8 and OPUS",
            .codec,
            "list",
            otherwise: "all that recordings can hold"
        )
    )
    var codec: String?

    @Option(
        help: ArgumentHelp(
            "Bits per second of pictures encoded here, as in 300k:1500k:4M; START is kept to so far",
            .bitrate,
            "min:start:max"
        )
    )
    var bitrate: String?

    @Option(
        help: ArgumentHelp(
            "Folder with the pipeline descriptions",
            .pipelines,
            "dir",
            otherwise: "the installed one"
        )
    )
    var pipelines: String?
}
