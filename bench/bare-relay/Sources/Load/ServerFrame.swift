/// The position of a WebSocket frame from the server in the received bytes.
struct ServerFrame {
    let opcode: UInt8
    let payload: Range<Int>

    /// Parses the frame that begins at `start`; nil if it is incomplete.
    init?(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        guard bytes.count >= start + 2 else { return nil }
        opcode = bytes[start] & 0x0F
        var position = start + 2
        var length = Int(bytes[start + 1])
        if length == 126 {
            guard bytes.count >= start + 4 else { return nil }
            length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
            position += 2
        } else if length > 126 {
            fail("a frame that large, or masked, is none of this load's")
        }
        guard bytes.count >= position + length else { return nil }
        payload = position..<(position + length)
    }
}
