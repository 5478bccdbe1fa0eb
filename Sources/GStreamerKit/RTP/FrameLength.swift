internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// A counter of the bytes of a video frame whose packets are arriving.
///
/// A depayloader stores packets until one has the marker bit (RFC 3550 §5.1). A hostile peer may never set
/// that bit.
struct FrameLength: Sendable {
    private let maximum: Int
    private var bytes = 0

    /// Creates a counter for frames of at most `maximum` bytes.
    init(maximum: Int) { self.maximum = maximum }

    /// Adds a packet of `count` bytes to its frame; the last packet ends the frame.
    ///
    /// - Returns: False if the frame has become too long, so that the packet must be dropped.
    mutating func admits(_ count: Int, isLast: Bool) -> Bool {
        if bytes <= maximum { bytes += count }
        let isAdmitted = bytes <= maximum
        if isLast { bytes = 0 }
        return isAdmitted
    }
}

extension Pad {
    /// Drops the packets of a frame that lie beyond its first `maximum` bytes, including its last packet.
    ///
    /// A buffer list that contains such a packet is dropped as a whole.
    ///
    /// The depayloader of VP8 or VP9 notices the gap in the sequence numbers and discards the frame.
    ///
    /// The size of each packet includes the memory overhead of a buffer.
    package func limitFrames(to maximum: Int) {
        let frame = Mutex(FrameLength(maximum: maximum))
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { _, info in
            guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 else {
                guard let packet = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
                return frame.withLock { $0.admits(packet) } ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
            }
            guard let list = gst_pad_probe_info_get_buffer_list(info) else { return GST_PAD_PROBE_OK }
            let areAdmitted = frame.withLock { frame in
                (0..<gst_buffer_list_length(list)).reduce(true) { areAdmitted, index in
                    (gst_buffer_list_get(list, index).map { frame.admits($0) } ?? true) && areAdmitted
                }
            }
            return areAdmitted ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }
}

extension FrameLength {
    fileprivate mutating func admits(_ packet: UnsafeMutablePointer<GstBuffer>) -> Bool {
        var byte: UInt8 = 0
        let isLast = gst_buffer_extract(packet, 1, &byte, 1) == 1 && byte & 0x80 != 0
        return admits(Int(gst_buffer_get_size(packet)) + StoredPacket.overhead, isLast: isLast)
    }
}
