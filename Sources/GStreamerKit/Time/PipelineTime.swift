internal import CGStreamer
internal import GLibKit

/// Where a pipeline's running time begins on the shared time line, without keeping it alive.
package struct PipelineTime: Sendable {
    private let reference: WeakObjectRef

    package init(_ pipeline: Pipeline) { reference = WeakObjectRef(pipeline.object) }

    /// What the pipeline's clock says, in nanoseconds since it began to play; nil while it does not.
    package var running: UInt64? {
        guard let pipeline = reference.object else { return nil }
        let time = UInt64(gst_element_get_current_running_time(pipeline.cast(to: GstElement.self)))
        return time == .max ? nil : time
    }

    /// Nanoseconds from the shared epoch; 0 once the pipeline is gone.
    package var offset: UInt64 {
        guard let pipeline = reference.object else { return 0 }
        let base = UInt64(gst_element_get_base_time(pipeline.cast(to: GstElement.self)))
        let epoch = MediaClock.shared.epoch
        return base > epoch ? base - epoch : 0
    }
}
