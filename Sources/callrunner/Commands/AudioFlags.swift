internal import ArgumentParser
internal import MediaKit

/// The flags for audio devices, playback volume and audio processing.
struct AudioFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Microphone to send, with any source: default, none, or one that `callrunner devices` lists",
            .microphone,
            "name",
            otherwise: "`default` with camera and screen, else none"
        )
    )
    var microphone: String?

    @Option(
        help: ArgumentHelp(
            "Loudspeaker for the peer's audio: default, none, or one that `callrunner devices` lists",
            .speaker,
            "name",
            otherwise: "`default` with a window, else none"
        )
    )
    var speaker: String?

    @Option(help: ArgumentHelp("Playback volume of the peer in percent, 0 to 150", .volume, "percent"))
    var volume: String?

    @Option(
        help: ArgumentHelp(
            """
            Processing of the microphone's audio: a list of echo (echo cancellation), noise (noise suppression) \
            and gain (automatic gain control), or none
            """,
            .audioProcessing,
            "list",
            otherwise: "all three if there is a microphone and a loudspeaker, else none"
        )
    )
    var audioProcessing: String?
}
