internal import GLibKit

/// A process that plays one stream, and the way of its frames.
struct PlayerProcess {
    /// The descriptors that the process finds: the memory of the slots, and the pipe to which it writes the number of each
    /// slot whose frame is to be shown.
    static let memory = ChildProcess.firstDescriptor
    static let pipe = ChildProcess.firstDescriptor + 1

    let child: ChildProcess
    let slots: FrameSlots
    let shown: PipeReader

    /// Starts the process.
    ///
    /// - Throws: `GLibError`.
    @LoopActor
    init(_ command: [String], showsErrors: Bool) throws(GLibError) {
        slots = try FrameSlots()
        let memory = try slots.memory.duplicate()
        let (reader, writer) = try PipeReader.pipe()
        shown = reader
        child = try ChildProcess(
            command,
            taking: [memory, writer],
            hidesErrors: !showsErrors
        )
    }
}
