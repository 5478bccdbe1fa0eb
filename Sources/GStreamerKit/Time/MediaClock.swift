internal import CGStreamer
internal import GLibKit

/// The clock of all pipelines, and the epoch from which their running time counts.
///
/// A timestamp means the same in all pipelines that share the clock and the epoch, regardless of when they started.
package struct MediaClock: Sendable {
    package static let shared = MediaClock()

    /// The time from the epoch to the first use of the clock, in nanoseconds; the times of a stream may begin at most
    /// this long before the stream is started.
    package static let head: UInt64 = 10_000_000_000

    let clock: ObjectRef
    /// The clock's reading at which running time begins, in nanoseconds.
    let epoch: UInt64

    private init() {
        GStreamer.start()
        clock = ObjectRef(taking: gst_system_clock_obtain())
        let now = UInt64(gst_clock_get_time(clock.cast(to: GstClock.self)))
        epoch = now - min(now, Self.head)
    }

    /// The nanoseconds since the epoch: the running time of every pipeline whose base time is the epoch.
    package var now: UInt64 { UInt64(gst_clock_get_time(clock.cast(to: GstClock.self))) - epoch }
}
