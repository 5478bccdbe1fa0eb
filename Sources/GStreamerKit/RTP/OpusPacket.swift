/// The framing of an Opus packet (RFC 6716 §3).
package enum OpusPacket {
    /// The maximum duration of a packet in microseconds.
    package static let longest = 120_000
    /// The maximum length of a frame in bytes.
    private static let longestFrame = 1275

    /// Checks whether a packet is well-formed (§3.4), so that every decoder outputs audio for it.
    static func isValid(_ packet: UnsafeRawBufferPointer) -> Bool {
        guard let first = packet.first else { return false }
        var rest = packet.dropFirst()
        switch first & 3 {
        case 0: return rest.count <= longestFrame
        case 1: return rest.count % 2 == 0 && rest.count / 2 <= longestFrame
        case 2:
            guard let length = frameLength(&rest) else { return false }
            return length <= rest.count && rest.count - length <= longestFrame
        default: return areFramesValid(&rest, each: frameDuration(first))
        }
    }

    /// Checks a packet with any number of frames, from its second byte (§3.2.5).
    private static func areFramesValid(_ rest: inout Slice<UnsafeRawBufferPointer>, each duration: Int)
        -> Bool
    {
        guard let header = rest.popFirst() else { return false }
        let (count, isPadded, areDifferent) = (Int(header & 0x3F), header & 0x40 != 0, header & 0x80 != 0)
        guard count > 0, count * duration <= longest else { return false }
        if isPadded {
            guard let padding = padding(&rest), padding <= rest.count else { return false }
            rest = rest.dropLast(padding)
        }
        guard areDifferent else { return rest.count % count == 0 && rest.count / count <= longestFrame }
        var lengths = 0
        for _ in 1..<count {
            guard let length = frameLength(&rest) else { return false }
            lengths += length
        }
        return lengths <= rest.count && rest.count - lengths <= longestFrame
    }

    /// Reads the length of a frame (§3.2.1); nil if it is incomplete.
    private static func frameLength(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        guard first >= 252 else { return Int(first) }
        return rest.popFirst().map { 4 * Int($0) + Int(first) }
    }

    /// Reads the length of the padding in bytes; nil if it is incomplete.
    private static func padding(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Int? {
        var length = 0
        while let byte = rest.popFirst() {
            guard byte == 255 else { return length + Int(byte) }
            length += 254
        }
        return nil
    }

    /// Returns the duration in microseconds of each frame of a packet with this first byte (§3.1).
    package static func frameDuration(_ first: UInt8) -> Int {
        let configuration = Int(first >> 3)
        return switch configuration {
        case ..<12: [10_000, 20_000, 40_000, 60_000][configuration % 4]
        case ..<16: [10_000, 20_000][configuration % 2]
        default: [2_500, 5_000, 10_000, 20_000][configuration % 4]
        }
    }
}

extension Pad {
    /// Drops Opus packets that are not well-formed.
    ///
    /// If its subclass cannot decode a packet, GstAudioDecoder (1.22) stores that packet until the stream ends.
    package func dropInvalidOpus() {
        dropBuffers { packet in packet.withBytes { OpusPacket.isValid($0) } ?? false }
    }
}
