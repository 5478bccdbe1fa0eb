package import GLibKit

/// A command that runs a part of this program in a separate process.
package struct ProcessCommand: Sendable {
    private let words: [String]
    private let showsErrors: Bool

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - words: The path of the program, and its arguments.
    ///   - showsErrors: Whether the process's standard error, to which libraries write, is shown.
    package init(_ words: [String], showsErrors: Bool) {
        (self.words, self.showsErrors) = (words, showsErrors)
    }

    /// Starts the process.
    ///
    /// - Parameter descriptors: The descriptors that the process receives as `ChildProcess.firstDescriptor` and the
    ///   following numbers; closed in this process, even after an error.
    /// - Returns: The process.
    /// - Throws: `GLibError` if it cannot be started.
    @LoopActor
    package func start(taking descriptors: [Int32]) throws(GLibError) -> ChildProcess {
        try ChildProcess(words, taking: descriptors, hidesErrors: !showsErrors)
    }
}
