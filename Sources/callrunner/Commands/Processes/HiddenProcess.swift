internal import Glibc
internal import MediaKit

/// The hidden commands for child processes that parse untrusted data for another process of this program.
enum HiddenProcess {
    /// Creates the command line of a hidden command.
    static func command(_ name: String?, _ installation: Installation) -> ProcessCommand {
        // The program that is running, even if its file has been replaced in the meantime.
        let program = "/proc/self/exe"
        let debugging = ["GST_DEBUG", "G_MESSAGES_DEBUG"].contains { installation.environment[$0] != nil }
        return ProcessCommand(
            [program, name ?? "", "--pipelines", installation.library.directory],
            showsErrors: debugging
        )
    }

    /// Makes this process ignore SIGINT, SIGHUP and SIGTERM, and limits its memory.
    static func begin() {
        // The signals of Ctrl+C and of `timeout` reach both processes; this process ends when its parent
        // does.
        for number in [SIGINT, SIGHUP, SIGTERM] { signal(number, SIG_IGN) }
        ProcessLimits.playing.apply()
    }
}
