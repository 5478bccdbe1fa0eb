internal import ArgumentParser
internal import CallMedia

/// The flags for the media that are sent, received and shown.
struct MediaFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            What to send: auto (a camera that works, else the test video), test (the test video), camera or \
            camera:DEVICE, screen, pattern, none, a media file, an http://, https:// or rtsp:// address, or a \
            pipeline description of your own, FILE.pipeline
            """,
            .source,
            "source"
        )
    )
    var source: String?

    @Option(
        help: ArgumentHelp(
            "The picture's size from camera, screen or pattern, as in 640x360",
            .size,
            "WxH",
            otherwise: "1280x720; the screen as it is"
        )
    )
    var size: String?

    @Option(
        help: ArgumentHelp(
            "Pictures a second from camera, screen or pattern",
            .fps,
            "n",
            otherwise: "30"
        )
    )
    var fps: String?

    @Option(help: ArgumentHelp("Where in a file to begin, and each further round of it", .start, "duration"))
    var start: String?

    @Flag(help: "End the call with the file, instead of beginning it again.")
    var once = false

    @Option(help: ArgumentHelp("What the call carries: audio, video or both", .media, "what"))
    var media: String?

    @Flag(help: "Send nothing, only receive.")
    var recvonly = false

    @Flag(help: "Receive nothing, only send.")
    var sendonly = false

    @Option(
        help: ArgumentHelp(
            "Codecs to use, the best first, of \(Codec.names); a kind of which none is named keeps all of its own",
            .codec,
            "list",
            otherwise: "all that recordings can hold"
        )
    )
    var codec: String?

    @Option(
        help: ArgumentHelp(
            "Bits per second of pictures encoded here, as in 300k:1500k:4M: from START they follow the network",
            .bitrate,
            "min:start:max",
            otherwise: "100k:1500k:4M"
        )
    )
    var bitrate: String?

    @Option(
        help: ArgumentHelp(
            "The largest video of the peer that is decoded, for the window and snapshots: no side above the longer "
                + "of these, no more pixels than they have; larger video is recorded all the same",
            .maxResolution,
            "WxH"
        )
    )
    var maxResolution: String?

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
