internal import CGStreamer
internal import GLibKit

/// The clock of all pipelines, and the epoch from which their running time counts.
///
/// A time stamp means the same in all pipelines that share the clock and the epoch, whenever they started.
package struct MediaClock: Sendable {
    package static let shared = MediaClock()

    let clock: ObjectRef
    /// The clock's reading at which running time begins, in nanoseconds.
    let epoch: UInt64

    private init() {
        GStreamer.start()
        clock = ObjectRef(taking: gst_system_clock_obtain())
        epoch = UInt64(gst_clock_get_time(clock.cast(to: GstClock.self)))
    }

    /// The nanoseconds since the epoch: the running time of every pipeline whose base time is the epoch.
    package var now: UInt64 { UInt64(gst_clock_get_time(clock.cast(to: GstClock.self))) - epoch }
}
