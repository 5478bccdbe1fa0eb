package import GLibKit
package import MediaKit

/// Starts the processes that play streams.
@LoopActor
package final class PlayerStarter {
    private let command: ProcessCommand
    private var prepared: PlayerProcess?

    /// Creates a starter, whose command runs a `PlayerHost`.
    package nonisolated init(_ command: ProcessCommand) { self.command = command }

    /// Starts the process for the next stream in advance, because this takes longer than opening a file.
    package func prepare() { prepared = prepared ?? (try? start()) }

    /// Returns the prepared process, or starts one.
    ///
    /// - Throws: `GLibError`.
    func next() throws(GLibError) -> PlayerProcess {
        // The prepared process may have ended: when memory is scarce, the kernel kills it first.
        if let prepared = prepared.take(), prepared.child.isRunning { return prepared }
        return try start()
    }

    private func start() throws(GLibError) -> PlayerProcess {
        try PlayerProcess(command)
    }
}
