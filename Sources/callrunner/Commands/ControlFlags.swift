internal import ArgumentParser
internal import Basics

/// The flag for the control of a running call.
struct ControlFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Read commands as JSON Lines, from standard input (-) or from a Unix socket created at a path, as in \
            {"id":1,"command":"mute","on":true}; also camera, record, snapshot, hangup, answer, decline, call, \
            leave, status, devices, select
            """,
            .control,
            "-|socket",
            otherwise: "no commands"
        )
    )
    var control: String?
}
