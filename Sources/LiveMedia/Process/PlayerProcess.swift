internal import GLibKit
internal import MediaKit

/// A process that plays one stream, with the shared memory and the pipe through which it delivers frames.
struct PlayerProcess {
    /// The file descriptors that the process inherits: the shared memory of the slots, and the pipe to which the
    /// process writes the number of each slot whose frame is to be shown.
    static let memory = ChildProcess.firstDescriptor
    static let pipe = ChildProcess.firstDescriptor + 1
    static let descriptorCount: Int32 = 2

    let child: ChildProcess
    let slots: FrameSlots
    let shown: PipeReader

    /// Starts the process.
    ///
    /// - Throws: `GLibError`.
    @LoopActor
    init(_ command: ProcessCommand) throws(GLibError) {
        slots = try FrameSlots()
        let memory = try slots.memory.duplicate()
        let (reader, writer) = try PipeReader.pipe()
        shown = reader
        child = try command.start(taking: [memory, writer])
    }
}
