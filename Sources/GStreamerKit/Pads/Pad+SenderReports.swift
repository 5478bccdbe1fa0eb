internal import CGStreamer
internal import Synchronization

extension Pad {
    /// Calls `handler` once, after `count` sender reports (RFC 3550 §6.4.1) or ten times as many RTCP
    /// packets.
    ///
    /// It is called on the thread on which the packets pass.
    func onSenderReports(_ count: Int, _ handler: @escaping @Sendable () -> Void) {
        let passed = Mutex((reports: 0, packets: 0, isDone: false))
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            var head: [UInt8] = [0, 0]
            let isReport = gst_buffer_extract(buffer, 0, &head, 2) == 2 && RTCPPacket.isSenderReport(head)
            let isEnough = passed.withLock { passed in
                passed.packets += 1
                if isReport { passed.reports += 1 }
                guard !passed.isDone else { return false }
                passed.isDone = passed.reports >= count || passed.packets >= 10 * count
                return passed.isDone
            }
            guard isEnough else { return GST_PAD_PROBE_OK }
            handler()
            return GST_PAD_PROBE_REMOVE
        }
    }
}
