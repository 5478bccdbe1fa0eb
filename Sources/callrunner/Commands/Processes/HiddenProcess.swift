internal import Glibc
internal import MediaKit

/// The hidden commands for child processes that parse untrusted data for another process of this program.
enum HiddenProcess {
    /// Creates the command line of a hidden command.
    static func command(_ name: String?, _ installation: Installation) -> ProcessCommand {
        // This program, even if another one has replaced it meanwhile.
        let program = "/proc/self/exe"
        let debugging = ["GST_DEBUG", "G_MESSAGES_DEBUG"].contains { installation.environment[$0] != nil }
        return ProcessCommand(
            [program, name ?? "", "--pipelines", installation.library.directory],
            showsErrors: debugging
        )
    }

    /// Makes this process ignore SIGINT, SIGHUP and SIGTERM, and limits its memory.
    static func begin() {
        // Ctrl+C in a terminal and `timeout` reach both processes; this one ends with the other.
        for number in [SIGINT, SIGHUP, SIGTERM] { signal(number, SIG_IGN) }
        ProcessLimits.playing.apply()
    }
}
