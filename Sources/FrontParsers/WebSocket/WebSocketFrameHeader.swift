internal import NIOCore

/// The header of a client's WebSocket frame.
struct WebSocketFrameHeader {
    let opcode: WebSocketOpcode
    /// Whether the frame is the last of its message.
    let isFinal: Bool
    /// The length of the payload in bytes.
    let length: Int
    let mask: WebSocketMask

    /// Reads a header; nil, without consuming anything, if it is incomplete.
    ///
    /// - Throws: `WebSocketViolation.protocolError` if the header is invalid, even if its mask is still
    ///   missing.
    init?(reading input: inout ByteBuffer) throws(WebSocketViolation) {
        let start = input.readerIndex
        guard let first: UInt8 = input.getInteger(at: start),
            let second: UInt8 = input.getInteger(at: start + 1)
        else { return nil }
        // Clients must mask, and no extension is negotiated that would use the reserved bits.
        guard first & 0x70 == 0, second & 0x80 != 0, let opcode = WebSocketOpcode(rawValue: first & 0x0F)
        else { throw .protocolError }
        self.opcode = opcode
        isFinal = first & 0x80 != 0
        var position = start + 2
        switch second & 0x7F {
        case 126:
            guard let length: UInt16 = input.getInteger(at: position) else { return nil }
            self.length = Int(length)
            position += 2
        case 127:
            guard let length: UInt64 = input.getInteger(at: position) else { return nil }
            // The highest bit must be 0; a length with that bit is refused as too large.
            self.length = Int(clamping: length)
            position += 8
        case let length: self.length = Int(length)
        }
        if opcode.isControl, !isFinal || second & 0x7F > 125 { throw .protocolError }
        guard let key: UInt32 = input.getInteger(at: position, endianness: .host) else { return nil }
        mask = WebSocketMask(key)
        input.moveReaderIndex(to: position + 4)
    }
}
