internal import Synchronization

/// A filter for H.264 packets for which rtph264depay (1.22) writes beyond its memory.
///
/// These are fragmentation units without content, and empty packets between the fragments of a NAL unit.
struct H264Fragments: Sendable {
    /// The types of fragmentation units: FU-A and FU-B (RFC 6184 §5.8).
    private static let types: ClosedRange<UInt8> = 28...29
    private static let (start, end): (UInt8, UInt8) = (0x80, 0x40)
    /// The length of a fragmentation unit with one byte of content.
    private static let shortest = 3

    /// Whether the end of a fragmented NAL unit is awaited.
    private var isOpen = false

    /// Decides whether a packet may reach the depayloader.
    mutating func admits(_ packet: UnsafeRawBufferPointer) -> Bool {
        guard let first = packet.first, let begin = StoredPacket.headerLength(packet) else { return false }
        let padding = first & 0x20 != 0 ? Int(packet[packet.count - 1]) : 0
        let length = packet.count - padding - begin
        guard length > 0 else { return !isOpen }
        guard Self.types.contains(packet[begin] & 0x1F) else {
            isOpen = false
            return true
        }
        guard length >= Self.shortest else { return false }
        if packet[begin + 1] & Self.start != 0 { isOpen = true }
        if packet[begin + 1] & Self.end != 0 { isOpen = false }
        return true
    }
}

extension Pad {
    /// Drops the RTP packets of H.264 that would crash rtph264depay (1.22).
    func dropEmptyFragments() {
        let fragments = Mutex(H264Fragments())
        dropBuffers { packet in
            packet.withBytes { bytes in fragments.withLock { $0.admits(bytes) } } ?? false
        }
    }
}
