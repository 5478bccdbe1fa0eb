internal import ArgumentParser

/// The flags for recordings and snapshots.
struct RecordingFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Record the remote side, as .mkv, .mp4 or .webm by its name, which may hold {room}, {name}, {peer}, \
            {time}, {call} and {segment}
            """,
            .record,
            "file"
        )
    )
    var record: String?

    @Option(help: ArgumentHelp("Record what was sent", .recordLocal, "file"))
    var recordLocal: String?

    @Option(help: ArgumentHelp("Record both sides in one .mkv, on one clock", .recordBoth, "file"))
    var recordBoth: String?

    @Option(
        help: ArgumentHelp(
            "Begin another file, -1, -2 …, at the first keyframe after so long",
            .segment,
            "duration",
            otherwise: "one file"
        )
    )
    var segment: String?

    @Flag(help: "Let recordings and snapshots replace files.")
    var overwrite = false

    @Option(
        help: ArgumentHelp(
            "Keep the first picture of the peer, as .jpg or .png by its name",
            .snapshot,
            "file"
        )
    )
    var snapshot: String?

    @Option(
        help: ArgumentHelp(
            "Renew the snapshot so often; with {time} in its name, keep each",
            .snapshotEvery,
            "duration",
            otherwise: "never"
        )
    )
    var snapshotEvery: String?
}
