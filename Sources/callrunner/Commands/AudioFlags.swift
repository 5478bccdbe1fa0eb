internal import ArgumentParser

/// The flags for audio devices.
struct AudioFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Microphone to send, beside any source: default, none, or one that `callrunner devices` names",
            .microphone,
            "name",
            otherwise: "default with camera and screen, else none"
        )
    )
    var microphone: String?

    @Option(
        help: ArgumentHelp(
            "Loudspeaker for the peer's sound: default, none, or one that `callrunner devices` names",
            .speaker,
            "name",
            otherwise: "default with a window, else none"
        )
    )
    var speaker: String?

    @Option(help: ArgumentHelp("Loudness of the peer in percent, 0 to 150", .volume, "percent"))
    var volume: String?

    @Option(
        help: ArgumentHelp(
            """
            What is done to the microphone's sound: a list of echo (cancelled), noise (suppressed) and gain \
            (brought to one level), or none
            """,
            .audioProcessing,
            "list",
            otherwise: "all three where there are microphone and loudspeaker"
        )
    )
    var audioProcessing: String?
}
