internal import CGStreamer
internal import GLibKit

/// The one clock of all pipelines, and the instant that they all count from.
///
/// Pipelines that share both give equal meanings to equal time stamps, whenever they started.
package struct MediaClock: Sendable {
    package static let shared = MediaClock()

    let clock: ObjectRef
    /// The clock's reading that running time counts from, in nanoseconds.
    let epoch: UInt64

    private init() {
        GStreamer.start()
        clock = ObjectRef(taking: gst_system_clock_obtain())
        epoch = UInt64(gst_clock_get_time(clock.cast(to: GstClock.self)))
    }

    /// Nanoseconds since the epoch: running time in every pipeline that starts at the epoch.
    package var now: UInt64 { UInt64(gst_clock_get_time(clock.cast(to: GstClock.self))) - epoch }
}
