internal import GLibKit

/// A process that plays one stream, and the memory for its frames.
struct PlayerProcess {
    let child: ChildProcess
    let slots: FrameSlots

    /// Starts the process.
    ///
    /// - Throws: `GLibError`.
    @LoopActor
    init(_ command: [String], showsErrors: Bool) throws(GLibError) {
        slots = try FrameSlots()
        child = try ChildProcess(command, sharing: slots.memory, hidesErrors: !showsErrors)
    }
}
