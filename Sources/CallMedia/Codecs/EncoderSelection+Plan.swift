internal import MediaKit

extension EncoderSelection {
    /// Returns the name of the template in `encoders/` for a negotiated codec; the hardware encoders of each
    /// codec are tested only once.
    func description(for choice: CodecPlan.Choice) async -> String {
        // Only our software encoder can limit the size of its slices.
        guard choice.h264?.packetizationMode != .singleUnit else { return choice.pipelineName }
        return await description(for: choice.codec)
    }
}
