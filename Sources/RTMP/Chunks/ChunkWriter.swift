/// A writer that divides messages into chunks (RTMP 1.0 §5.3).
package struct ChunkWriter {
    /// The chunk size that the writer announces; with larger chunks, fewer headers are sent.
    private static let announcedSize = 4096
    private static let extendedTimestamp: UInt32 = 0xFF_FFFF

    private var chunkSize = 128

    package init() {}

    /// Announces a larger chunk size, which applies from the next message on.
    package mutating func announceChunkSize() -> [UInt8] {
        var payload: [UInt8] = []
        payload.append(Self.announcedSize, width: 4)
        let bytes = write(RTMPPacket(type: RTMPMessageType.setChunkSize, payload: payload), chunkStream: 2)
        chunkSize = Self.announcedSize
        return bytes
    }

    /// Returns the chunks of a message in the chunk stream with an ID from 2 to 63.
    package func write(_ packet: RTMPPacket, chunkStream: UInt8) -> [UInt8] {
        var bytes: [UInt8] = []
        let length = packet.payload.count
        bytes.reserveCapacity(length + 12 + (length / chunkSize + 1) * 5)
        let isExtended = packet.timestamp >= Self.extendedTimestamp
        bytes.append(chunkStream)
        bytes.append(min(packet.timestamp, Self.extendedTimestamp), width: 3)
        bytes.append(length, width: 3)
        bytes.append(packet.type)
        bytes.append(packet.stream.byteSwapped, width: 4)
        if isExtended { bytes.append(packet.timestamp, width: 4) }
        var start = 0
        while true {
            let end = min(start + chunkSize, length)
            bytes += packet.payload[start..<end]
            start = end
            guard start < length else { return bytes }
            bytes.append(3 << 6 | chunkStream)
            if isExtended { bytes.append(packet.timestamp, width: 4) }
        }
    }
}
