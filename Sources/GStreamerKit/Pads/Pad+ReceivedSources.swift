internal import CGStreamer

extension Pad {
    /// Drops SRTP and SRTCP packets that name a source which `admits` refuses; anything else passes.
    func dropMedia(unless admits: @escaping @Sendable (_ ssrc: UInt32) -> Bool) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { _, info in
            guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 else {
                let isAdmitted = gst_pad_probe_info_get_buffer(info)?.allSources(satisfy: admits) ?? true
                return isAdmitted ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
            }
            guard let list = gst_pad_probe_info_get_buffer_list(info) else { return GST_PAD_PROBE_OK }
            let areAdmitted = (0..<gst_buffer_list_length(list)).allSatisfy { index in
                gst_buffer_list_get(list, index)?.allSources(satisfy: admits) ?? true
            }
            return areAdmitted ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Checks whether all sources in the SRTP or SRTCP header satisfy `predicate`.
    fileprivate func allSources(satisfy predicate: (UInt32) -> Bool) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: SRTPHeader.longest, alignment: 4) { bytes in
            let count = gst_buffer_extract(self, 0, bytes.baseAddress, gsize(bytes.count))
            return SRTPHeader.allSources(
                of: UnsafeRawBufferPointer(rebasing: bytes[..<Int(count)]),
                satisfy: predicate
            )
        }
    }
}
