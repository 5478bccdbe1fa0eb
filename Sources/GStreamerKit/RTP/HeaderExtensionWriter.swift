internal import CGStreamer

/// A writer that adds an RTP header extension with a one-byte header (RFC 8285 §4.2) to passing packets.
package struct HeaderExtensionWriter: Sendable {
    /// The extension's ID in the session descriptions, 1…14.
    private let id: UInt8
    /// The function that returns the 24-bit value for the next packet, or nil to add no extension.
    private let value: @Sendable () -> UInt32?

    /// Creates a writer; nil if `id` is not valid in a one-byte header.
    package init?(id: Int, value: @escaping @Sendable () -> UInt32?) {
        guard (1...14).contains(id) else { return nil }
        (self.id, self.value) = (UInt8(id), value)
    }

    /// Replaces the packets of a pad probe by packets with the extension; no payload is copied.
    fileprivate func write(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
        guard let value = value() else { return }
        info.forEachWritableBuffer { write(value, into: $0) }
    }

    private func write(_ value: UInt32, into packet: UnsafeMutablePointer<GstBuffer>) {
        var rtp = GstRTPBuffer()
        let access = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        guard gst_rtp_buffer_map(packet, access, &rtp) != 0 else { return }
        defer { gst_rtp_buffer_unmap(&rtp) }
        withUnsafeBytes(of: value.bigEndian) { bytes in
            _ = gst_rtp_buffer_add_extension_onebyte_header(&rtp, id, bytes.baseAddress?.advanced(by: 1), 3)
        }
    }
}

extension Pad {
    /// Adds this extension to each packet that passes.
    package func write(_ header: HeaderExtensionWriter) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { _, info in
            header.write(info)
            return GST_PAD_PROBE_OK
        }
    }
}

extension UnsafeMutablePointer<GstPadProbeInfo> {
    /// Makes the buffer or the buffer list of a probe writable, and calls `body` with each buffer.
    ///
    /// The memory of a buffer is shared until it is mapped for writing.
    func forEachWritableBuffer(_ body: (UnsafeMutablePointer<GstBuffer>) -> Void) {
        guard let object = pointee.data?.assumingMemoryBound(to: GstMiniObject.self),
            let writable = gst_mini_object_make_writable(object)
        else { return }
        pointee.data = UnsafeMutableRawPointer(writable)
        guard pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 else {
            return body(UnsafeMutableRawPointer(writable).assumingMemoryBound(to: GstBuffer.self))
        }
        let list = OpaquePointer(writable)
        for index in 0..<gst_buffer_list_length(list) {
            if let buffer = gst_buffer_list_get_writable(list, index) { body(buffer) }
        }
    }
}
