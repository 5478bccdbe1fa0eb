internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// An element that multiplexes several streams into one.
package final class Muxer: Element, @unchecked Sendable {  // GstElement locks itself
    /// Makes the existing sink pads process gap events.
    ///
    /// Otherwise a silent track holds back the other for as long as it is silent. MP4's muxer cannot do this:
    /// it keeps a track's last sample until it knows the next one (GStreamer 1.22).
    ///
    /// - Returns: Whether all pads do so.
    package func acceptGaps() -> Bool {
        var heeds = true
        var item = pointer.pointee.sinkpads
        while let link = item {
            let pad = link.pointee.data?.assumingMemoryBound(to: GstPad.self)
            heeds = pad.map(Self.unlock) ?? true && heeds
            item = link.pointee.next
        }
        return heeds
    }

    /// Makes the existing sink pads ignore caps that change later.
    ///
    /// Matroska's muxer fails if a frame rate or a color space changes after its header is written, which
    /// happens when the peer switches from sending stored media as it is to encoding it. The encoded frames
    /// carry such properties themselves.
    package func keepFirstCaps() {
        var item = pointer.pointee.sinkpads
        while let link = item {
            link.pointee.data.map { Pad(ObjectRef(retaining: $0)).keepFirstCaps() }
            item = link.pointee.next
        }
    }

    /// Unlocks a pad of Matroska's muxer, so that the muxer need not wait for it.
    ///
    /// The muxer makes itself wait for its audio and video pads (`GST_COLLECT_PADS_STATE_LOCKED`).
    ///
    /// - Returns: False for a pad of a different kind of muxer.
    private static func unlock(_ pad: UnsafeMutablePointer<GstPad>) -> Bool {
        // GstCollectPads documents that it keeps its data in the pad's private pointer.
        guard
            let data = gst_pad_get_element_private(pad)?.assumingMemoryBound(to: GstCollectData.self),
            data.pointee.pad == pad, let collect = data.pointee.collect
        else { return false }
        let instance = UnsafeMutableRawPointer(collect).assumingMemoryBound(to: GTypeInstance.self)
        guard g_type_check_instance_is_a(instance, gst_collect_pads_get_type()) != 0 else { return false }
        g_rec_mutex_lock(&collect.pointee.stream_lock)
        data.pointee.state.rawValue &= ~GST_COLLECT_PADS_STATE_LOCKED.rawValue
        g_rec_mutex_unlock(&collect.pointee.stream_lock)
        return true
    }
}

extension Pad {
    /// Drops caps events that follow the first buffer.
    fileprivate func keepFirstCaps() {
        let hasBegun = Atomic(false)
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { _, info in
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
                hasBegun.store(true, ordering: .relaxed)
                return GST_PAD_PROBE_OK
            }
            let isCaps = gst_pad_probe_info_get_event(info)?.pointee.type == GST_EVENT_CAPS
            return isCaps && hasBegun.load(ordering: .relaxed) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }
}
