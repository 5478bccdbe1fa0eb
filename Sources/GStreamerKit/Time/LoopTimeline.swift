internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// A correction that gives each iteration of a segment-seek loop the length of the medium.
///
/// Demuxers of GStreamer 1.22 start the running time of the next iteration at the beginning of the last
/// sample, not at its end. Without the correction, every iteration would be a sample short, and its tracks
/// would overlap.
package final class LoopTimeline: Sendable {
    /// The length of the medium in nanoseconds; 0 while it is unknown.
    private let length = Atomic<UInt64>(0)
    /// The largest difference between the container's duration and the played duration, in nanoseconds, at
    /// which the container's duration counts as correct.
    private static let tolerance: UInt64 = 250_000_000

    package init() {}

    /// Sets the length of the medium in nanoseconds.
    package func setLength(_ nanoseconds: UInt64) { length.store(nanoseconds, ordering: .relaxed) }

    /// Corrects all further segments that leave `pad`, a demuxer's source pad.
    package func correct(_ pad: Pad) {
        let corrector = Corrector(self)
        pad.addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, GST_PAD_PROBE_TYPE_EVENT_FLUSH) { _, info in
            corrector.pass(info)
            return GST_PAD_PROBE_OK
        }
    }

    /// The start of an iteration: its running time before and after correction, and its position in the
    /// medium.
    fileprivate struct Round {
        /// The sequence number of the seek that started the iteration.
        var seek: UInt32
        var said: UInt64
        var base: UInt64
        var position: UInt64

        /// Computes the iteration that starts with a segment of another seek.
        func next(seek: UInt32, said: UInt64, position: UInt64, length: UInt64) -> Round {
            let played = said > self.said ? said - self.said : 0
            let whole = length > self.position ? length - self.position : 0
            let isBelievable = max(whole, played) - min(whole, played) <= LoopTimeline.tolerance
            return Round(
                seek: seek,
                said: said,
                base: base + (isBelievable ? whole : played),
                position: position
            )
        }
    }

    /// The correction of the segments on one pad.
    private final class Corrector: Sendable {
        private let timeline: LoopTimeline
        private let round = Mutex<Round?>(nil)

        init(_ timeline: LoopTimeline) { self.timeline = timeline }

        func pass(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
            guard let event = gst_pad_probe_info_get_event(info) else { return }
            if event.pointee.type == GST_EVENT_FLUSH_STOP { round.withLock { $0 = nil } }
            guard event.pointee.type == GST_EVENT_SEGMENT, let correction = correction(for: event) else {
                return
            }
            var segment = GstSegment()
            gst_event_copy_segment(event, &segment)
            segment.base += guint64(correction)
            guard let corrected = gst_event_new_segment(&segment) else { return }
            gst_event_set_seqnum(corrected, gst_event_get_seqnum(event))
            info.pointee.data = UnsafeMutableRawPointer(corrected)
            gst_event_unref(event)  // the probe's info owned it
        }

        /// Computes the nanoseconds to add to the segment's base; nil for none.
        private func correction(for event: UnsafeMutablePointer<GstEvent>) -> UInt64? {
            var segment = GstSegment()
            gst_event_copy_segment(event, &segment)
            guard segment.format == GST_FORMAT_TIME, segment.base < guint64(Int64.max) else { return nil }
            let (said, seek) = (UInt64(segment.base), gst_event_get_seqnum(event))
            let position = UInt64(segment.time == guint64.max ? 0 : segment.time)
            let length = timeline.length.load(ordering: .relaxed)
            return round.withLock { round in
                if let known = round, known.seek != seek {
                    round = known.next(seek: seek, said: said, position: position, length: length)
                } else if round == nil {
                    round = Round(seek: seek, said: said, base: said, position: position)
                }
                guard let now = round, now.base > now.said else { return nil }
                return now.base - now.said
            }
        }
    }
}
