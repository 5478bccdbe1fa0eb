/// The parser for aggregate messages, which contain several FLV tags (RTMP 1.0 §7.1.6).
enum FLVAggregate {
    /// Returns the messages in an aggregate; their timestamps continue from that of the aggregate.
    ///
    /// - Throws: `RTMPViolation.truncated`.
    static func packets(_ aggregate: RTMPPacket) throws(RTMPViolation) -> [RTMPPacket] {
        var reader = ByteReader(aggregate.payload)
        var packets: [RTMPPacket] = []
        var first: UInt32?
        while !reader.isAtEnd {
            let type = try reader.byte()
            let length = try reader.uint24()
            let low = UInt32(try reader.uint24())
            let timestamp = UInt32(try reader.byte()) << 24 | low
            _ = try reader.uint24()
            let payload = Array(try reader.slice(length))
            // Some encoders omit the last length.
            if !reader.isAtEnd { _ = try reader.uint32() }
            let start = first ?? timestamp
            first = start
            guard type == RTMPMessageType.audio || type == RTMPMessageType.video else { continue }
            packets.append(
                RTMPPacket(
                    type: type,
                    timestamp: aggregate.timestamp &+ (timestamp &- start),
                    stream: aggregate.stream,
                    payload: payload
                )
            )
        }
        return packets
    }
}
