internal import CGStreamer
internal import GLibKit

/// The running time of a pipeline relative to the shared timeline; it does not retain the pipeline.
package struct PipelineTime: Sendable {
    private let reference: WeakObjectRef

    package init(_ pipeline: Pipeline) { reference = WeakObjectRef(pipeline.object) }

    /// The current running time in nanoseconds; nil while the pipeline does not play.
    package var running: UInt64? {
        guard let pipeline = reference.object else { return nil }
        let time = UInt64(gst_element_get_current_running_time(pipeline.cast(to: GstElement.self)))
        return time == .max ? nil : time
    }

    /// The start of the running time in nanoseconds from the shared epoch; 0 once the pipeline has been
    /// finalized.
    package var offset: UInt64 {
        guard let pipeline = reference.object else { return 0 }
        let base = UInt64(gst_element_get_base_time(pipeline.cast(to: GstElement.self)))
        let epoch = MediaClock.shared.epoch
        return base > epoch ? base - epoch : 0
    }
}
