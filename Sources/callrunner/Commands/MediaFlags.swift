internal import ArgumentParser
internal import Basics
internal import CallMedia
internal import MediaKit

/// The flags for the media that are sent, received and shown.
struct MediaFlags: ParsableArguments {
    @OptionGroup var input: SourceFlags

    @Option(help: ArgumentHelp("Media kinds of the call: audio, video or both", .media, "what"))
    var media: String?

    @Flag(help: "Send nothing, only receive.")
    var recvonly = false

    @Flag(help: "Receive nothing, only send.")
    var sendonly = false

    @Option(
        help: ArgumentHelp(
            "Codecs to use, in order of preference, from \(Codec.names); if the list names no video codec, "
                + "all video codecs are used, and likewise for audio",
            .codec,
            "list",
            otherwise: "all that the recordings can store"
        )
    )
    var codec: String?

    @Option(
        help: ArgumentHelp(
            "Bit rate of video encoded here, such as 300k:1500k:4M; from START, it adapts to the network between MIN and MAX",
            .bitrate,
            "min:start:max",
            otherwise: "100k:1500k:4M"
        )
    )
    var bitrate: String?

    @Option(
        help: ArgumentHelp(
            "Maximum resolution of the peer's video, in either orientation; larger video is recorded, but "
                + "neither shown nor saved as a snapshot",
            .maxResolution,
            "WxH"
        )
    )
    var maxResolution: String?

    @Option(
        help: ArgumentHelp(
            "Folder with the pipeline templates",
            .pipelines,
            "dir",
            otherwise: "the installed one"
        )
    )
    var pipelines: String?
}
