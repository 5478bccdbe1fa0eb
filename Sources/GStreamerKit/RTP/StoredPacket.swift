internal import CGStreamer
internal import Synchronization

/// The memory that a depayloader needs for RTP packets.
enum StoredPacket {
    /// The memory that a buffer needs in addition to its content, in bytes, rounded up.
    static let overhead = 512
    private static let shortestHeader = 12
    /// The types of H.264 packets that contain several NAL units: STAP-A and STAP-B (RFC 6184 §5.2).
    private static let aggregations: ClosedRange<UInt8> = 24...25

    /// Counts the NAL units of an H.264 packet that aggregates several; 0 for other packets.
    static func aggregatedUnits(_ packet: UnsafeRawBufferPointer) -> Int {
        guard let start = headerLength(packet), start < packet.count else { return 0 }
        let type = packet[start] & 0x1F
        guard aggregations.contains(type) else { return 0 }
        // A STAP-B begins with a number of two bytes.
        var (position, units) = (start + (type == aggregations.lowerBound ? 1 : 3), 0)
        while position + 1 < packet.count {
            position += 2 + Int(packet[position]) * 256 + Int(packet[position + 1])
            units += 1
        }
        return units
    }

    /// Returns the length of the header of an RTP packet (RFC 3550 §5.1); nil if the packet is too short.
    static func headerLength(_ packet: UnsafeRawBufferPointer) -> Int? {
        guard let first = packet.first else { return nil }
        let length = shortestHeader + 4 * Int(first & 0x0F)
        guard first & 0x10 != 0 else { return length }
        guard packet.count >= length + 4 else { return nil }
        return length + 4 + 4 * (Int(packet[length + 2]) * 256 + Int(packet[length + 3]))
    }
}

extension Pad {
    /// Drops packets while more than `maximum` bytes have entered a depayloader since the last buffer from its source
    /// pad `output`.
    ///
    /// The H.264 depayloader ignores the marker bit inside a fragmented NAL unit, and keeps an access unit across a
    /// gap. Therefore `limitFrames` alone would not bound its memory. It also stores each NAL unit of an aggregation
    /// packet in a buffer of its own.
    ///
    /// - Parameters:
    ///   - maximum: the maximum number of bytes, including the overhead of the buffers.
    ///   - output: the source pad of the depayloader.
    ///   - hasUnits: whether the packets contain H.264.
    package func limitStored(to maximum: Int, until output: Pad, hasUnits: Bool) {
        let stored = Atomic(0)
        output.addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { _, _ in
            stored.store(0, ordering: .relaxed)
            return GST_PAD_PROBE_OK
        }
        onEachBuffer { packet in
            let units = hasUnits ? packet.withBytes(StoredPacket.aggregatedUnits) ?? 0 : 0
            let size = Int(gst_buffer_get_size(packet)) + StoredPacket.overhead * (1 + units)
            stored.add(size, ordering: .relaxed)
        }
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { _, _ in
            stored.load(ordering: .relaxed) <= maximum ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }
}
