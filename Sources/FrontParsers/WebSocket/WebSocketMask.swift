/// The mask of a client's frame (RFC 6455 §5.3).
struct WebSocketMask {
    /// The mask's four bytes, in memory in the same order as in the frame.
    private let key: UInt32

    init(_ key: UInt32) { self.key = key }

    /// Returns the mask for the payload bytes from `offset` on.
    func rotated(by offset: Int) -> WebSocketMask {
        // Shifts depend on the byte order: after the conversion, the first byte is the lowest.
        let bits = UInt32(offset & 3) * 8
        let ordered = UInt32(littleEndian: key)
        return WebSocketMask(UInt32(littleEndian: ordered >> bits | ordered << ((32 - bits) & 31)))
    }

    /// Writes the unmasked bytes of `source` to `target`, which must not be shorter than `source`.
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
