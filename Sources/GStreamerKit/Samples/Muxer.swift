internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// An element that multiplexes several streams into one.
package final class Muxer: Element, @unchecked Sendable {  // GstElement locks itself
    /// Makes the existing sink pads process gap events.
    ///
    /// Otherwise the muxer does not write one track while the other is silent. The MP4 muxer of GStreamer
    /// 1.22 cannot do this: it keeps a track's last sample until it receives the next one.
    ///
    /// - Returns: Whether all pads can do this.
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
    /// The Matroska muxer fails if a frame rate or a color space changes after its header is written. This
    /// happens when the peer first sends stored media unchanged and later encodes it. The encoded frames
    /// contain such properties themselves.
    package func keepFirstCaps() {
        var item = pointer.pointee.sinkpads
        while let link = item {
            link.pointee.data.map { Pad(ObjectRef(retaining: $0)).keepFirstCaps() }
            item = link.pointee.next
        }
    }

    /// Unlocks a pad of the Matroska muxer, so that the muxer does not wait for its data.
    ///
    /// The muxer locks its audio and video pads itself (`GST_COLLECT_PADS_STATE_LOCKED`).
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
