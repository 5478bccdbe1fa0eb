/// The mask of a client's frame (RFC 6455 §5.3).
struct WebSocketMask {
    /// As its bytes lie in memory.
    private let key: UInt32

    init(_ key: UInt32) { self.key = key }

    /// The mask for the bytes from `offset` on.
    func rotated(by offset: Int) -> WebSocketMask {
        // Memory's order is the processor's: the byte that comes first is the lowest here.
        let bits = UInt32(offset & 3) * 8
        let ordered = UInt32(littleEndian: key)
        return WebSocketMask(UInt32(littleEndian: ordered >> bits | ordered << ((32 - bits) & 31)))
    }

    /// Writes the source's bytes without the mask to `target`, which is no shorter.
    func apply(to source: UnsafeRawBufferPointer, writing target: UnsafeMutableRawBufferPointer) {
        precondition(target.count >= source.count)
        let wide = UInt64(key) << 32 | UInt64(key)
        var position = 0
        while source.count - position >= 8 {
            let word = source.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            target.storeBytes(of: word ^ wide, toByteOffset: position, as: UInt64.self)
            position += 8
        }
        let ordered = UInt32(littleEndian: key)
        while position < source.count {
            target[position] =
                source[position] ^ UInt8(truncatingIfNeeded: ordered >> UInt32((position & 3) * 8))
            position += 1
        }
    }
}
