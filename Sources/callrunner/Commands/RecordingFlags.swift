internal import ArgumentParser

/// The flags for recordings and snapshots.
struct RecordingFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Record the remote side to an .mkv, .mp4 or .webm file; its name may contain {room}, {name}, {peer}, \
            {time}, {call} and {segment}
            """,
            .record,
            "file"
        )
    )
    var record: String?

    @Option(help: ArgumentHelp("Record the local side: the media sent", .recordLocal, "file"))
    var recordLocal: String?

    @Option(help: ArgumentHelp("Record both sides to one .mkv file, synchronized", .recordBoth, "file"))
    var recordBoth: String?

    @Option(
        help: ArgumentHelp(
            "Split recordings into NAME-1, NAME-2 …, each at the first keyframe after this time",
            .segment,
            "duration",
            otherwise: "one file"
        )
    )
    var segment: String?

    @Option(
        help: ArgumentHelp(
            """
            Publish the peer's video and both voices as a live stream to rtmp://HOST/APP/KEY, or to the URL in \
            @FILE; see `callrunner help publish`
            """,
            .publish,
            "url"
        )
    )
    var publish: String?

    @Flag(help: "Let recordings and snapshots replace existing files.")
    var overwrite = false

    @Option(
        help: ArgumentHelp(
            "Save the first video frame of the peer to a .jpg or .png file",
            .snapshot,
            "file"
        )
    )
    var snapshot: String?

    @Option(
        help: ArgumentHelp(
            "Replace the snapshot at this interval; with {time} in its name, keep each",
            .snapshotEvery,
            "duration",
            otherwise: "never"
        )
    )
    var snapshotEvery: String?
}
