/// A reader that joins the chunks of a peer to messages (RTMP 1.0 §5.3).
///
/// It obeys the messages "Set Chunk Size" and "Abort Message" of the peer, and does not return them.
package struct ChunkReader {
    /// The maximum number of chunk streams; encoders use at most about five.
    package static let maximumStreams = 64
    private static let initialChunkSize = 128
    private static let extendedTimestamp = 0xFF_FFFF

    /// The state of a chunk stream: the header of its newest message, whose fields later chunks may omit.
    private struct Stream {
        var timestamp: UInt32 = 0
        var delta: UInt32 = 0
        var length = 0
        var type: UInt8 = 0
        var messageStream: UInt32 = 0
        var hasExtendedTimestamp = false
        /// The payload so far of an incomplete message.
        var payload: [UInt8]?
    }

    private struct BasicHeader {
        var format: UInt8
        var stream: Int
    }

    /// The maximum length in bytes of a message, and of all incomplete messages together.
    package var maximumLength: Int
    private var chunkSize = initialChunkSize
    private var input: [UInt8] = []
    private var position = 0
    private var streams: [Int: Stream] = [:]
    /// The chunk whose payload is being read.
    private var current: (stream: Int, remaining: Int)?
    /// The number of payload bytes of all incomplete messages.
    private var incompleteCount = 0

    package init(maximumLength: Int) { self.maximumLength = maximumLength }

    /// The number of bytes that the reader stores.
    package var storedBytes: Int { input.count - position + incompleteCount }

    /// Adds received bytes; call `next()` afterwards until it returns nil.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        input.removeFirst(position)
        position = 0
        input += bytes
    }

    /// Returns the next message; nil if more bytes are needed.
    ///
    /// - Throws: `RTMPViolation`, after which the reader must not be used again.
    package mutating func next() throws(RTMPViolation) -> RTMPPacket? {
        while true {
            if current == nil {
                guard let started = try startChunk() else { return nil }
                current = started
            }
            guard let packet = try readPayload() else {
                if current == nil { continue }
                return nil
            }
            guard try !obey(packet) else { continue }
            return packet
        }
    }

    /// Reads a part of the current chunk; returns the message that it completes.
    private mutating func readPayload() throws(RTMPViolation) -> RTMPPacket? {
        guard let (id, remaining) = current, var stream = streams[id], var payload = stream.payload else {
            return nil
        }
        let count = min(remaining, input.count - position)
        // The stored references are dropped, because appending to a shared array would copy it.
        streams[id]?.payload = nil
        stream.payload = nil
        payload += input[position..<position + count]
        position += count
        incompleteCount += count
        guard incompleteCount <= maximumLength else { throw .messageTooLarge }
        current = count == remaining ? nil : (id, remaining - count)
        guard payload.count == stream.length else {
            streams[id]?.payload = payload
            return nil
        }
        incompleteCount -= payload.count
        return RTMPPacket(
            type: stream.type,
            timestamp: stream.timestamp,
            stream: stream.messageStream,
            payload: payload
        )
    }

    /// Reads the header of a chunk; nil if it is incomplete.
    private mutating func startChunk() throws(RTMPViolation) -> (stream: Int, remaining: Int)? {
        var reader = ByteReader(input, from: position)
        guard let header = basicHeader(&reader) else { return nil }
        guard streams[header.stream] != nil || streams.count < Self.maximumStreams else {
            throw .tooManyChunkStreams
        }
        guard header.format == 0 || streams[header.stream] != nil else { throw .continuationWithoutMessage }
        var stream = streams[header.stream] ?? Stream()
        let isContinuation = stream.payload != nil
        guard header.format == 3 || !isContinuation else { throw .messageInterrupted }
        guard reader.count >= Self.headerLengths[Int(header.format)] else { return nil }
        var time = UInt32(Self.extendedTimestamp)
        if header.format < 3 {
            time = UInt32(try reader.uint24())
            stream.hasExtendedTimestamp = time == Self.extendedTimestamp
        }
        if header.format < 2 {
            stream.length = try reader.uint24()
            stream.type = try reader.byte()
        }
        if header.format == 0 { stream.messageStream = UInt32(try reader.integer(4)).byteSwapped }
        if stream.hasExtendedTimestamp {
            guard reader.count >= 4 else { return nil }
            time = try reader.uint32()
        }
        if !isContinuation {
            guard stream.length <= maximumLength else { throw .messageTooLarge }
            // A chunk of format 3 repeats the delta of the previous message, or the timestamp of one of format 0.
            if header.format < 3 { stream.delta = time }
            stream.timestamp = header.format == 0 ? time : stream.timestamp &+ stream.delta
            stream.payload = []
        }
        position = input.count - reader.count
        streams[header.stream] = stream
        return (header.stream, min(chunkSize, stream.length - (stream.payload?.count ?? 0)))
    }

    /// The lengths of message headers without an extended timestamp, by format.
    private static let headerLengths = [11, 7, 3, 0]

    private func basicHeader(_ reader: inout ByteReader) -> BasicHeader? {
        guard let first = try? reader.byte() else { return nil }
        var stream = Int(first & 0x3F)
        switch stream {
        case 0:
            guard let second = try? reader.byte() else { return nil }
            stream = 64 + Int(second)
        case 1:
            guard let low = try? reader.byte(), let high = try? reader.byte() else { return nil }
            stream = 64 + Int(low) + Int(high) << 8
        default: break
        }
        return BasicHeader(format: first >> 6, stream: stream)
    }

    /// Obeys a message for the chunk layer; returns false for all others.
    private mutating func obey(_ packet: RTMPPacket) throws(RTMPViolation) -> Bool {
        switch packet.type {
        case RTMPMessageType.setChunkSize:
            var reader = ByteReader(packet.payload)
            let size = try reader.uint32()
            guard 1...0x7FFF_FFFF ~= size else { throw .invalidChunkSize(size) }
            chunkSize = Int(size)
        case RTMPMessageType.abort:
            var reader = ByteReader(packet.payload)
            let id = Int(try reader.uint32())
            if let payload = streams[id]?.payload {
                incompleteCount -= payload.count
                streams[id]?.payload = nil
            }
        default: return false
        }
        return true
    }
}
