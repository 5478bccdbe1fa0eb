internal import NIOCore

/// What stands before a client's payload in a WebSocket frame.
struct WebSocketFrameHeader {
    let opcode: WebSocketOpcode
    /// Whether the frame is the last of its message.
    let isFinal: Bool
    /// Of the payload, in bytes.
    let length: Int
    let mask: WebSocketMask

    /// Takes a header off the bytes that have arrived; nil, and takes nothing, where some of it is missing.
    ///
    /// - Throws: `WebSocketViolation.protocolError` as soon as the first two bytes are wrong.
    init?(reading input: inout ByteBuffer) throws(WebSocketViolation) {
        let start = input.readerIndex
        guard let first: UInt8 = input.getInteger(at: start),
            let second: UInt8 = input.getInteger(at: start + 1)
        else { return nil }
        // Clients have to mask, and there are no extensions that gave the reserved bits a sense.
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
            // The highest bit has to be 0; such a length is refused as too large.
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
