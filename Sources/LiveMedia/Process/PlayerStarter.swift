package import GLibKit

/// The starter of the processes that play streams.
@LoopActor
package final class PlayerStarter {
    private let command: [String]
    private let showsErrors: Bool
    private var prepared: PlayerProcess?

    /// Creates a starter.
    ///
    /// - Parameters:
    ///   - command: The words of a command that runs a `PlayerHost`.
    ///   - showsErrors: Whether what libraries write to standard error is shown.
    package nonisolated init(command: [String], showsErrors: Bool) {
        (self.command, self.showsErrors) = (command, showsErrors)
    }

    /// Starts the process for the next stream already, because that takes longer than to open a file.
    package func prepare() { prepared = prepared ?? (try? start()) }

    /// Returns the prepared process, or starts one.
    ///
    /// - Throws: `GLibError`.
    func next() throws(GLibError) -> PlayerProcess {
        // It may have ended meanwhile: the kernel prefers it when memory is scarce.
        if let prepared = prepared.take(), prepared.child.isRunning { return prepared }
        return try start()
    }

    private func start() throws(GLibError) -> PlayerProcess {
        try PlayerProcess(command, showsErrors: showsErrors)
    }
}
