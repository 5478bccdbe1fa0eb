package import NIOCore

/// A message in the form of a server's WebSocket frame: a header followed by the payload.
///
/// It is encoded once for all recipients: a WebSocket sends the whole frame, a polling transport only the
/// payload.
package struct FramedMessage {
    /// The maximum length of the header in bytes.
    static let maximumHeaderLength = 10

    /// The frame with header and payload.
    package let frame: ByteBuffer
    package let isText: Bool
    private let headerLength: UInt8

    /// Creates a message from a frame that begins with a header of `headerLength` bytes.
    init(frame: ByteBuffer, headerLength: Int, isText: Bool) {
        self.frame = frame
        self.headerLength = UInt8(headerLength)
        self.isText = isText
    }

    package init(opcode: WebSocketOpcode, _ bytes: some Collection<UInt8>) {
        var frame = Self.startFrame(opcode, length: bytes.count, capacity: bytes.count)
        let headerLength = frame.readableBytes
        frame.writeBytes(bytes)
        self.init(frame: frame, headerLength: headerLength, isText: opcode == .text)
    }

    package init(text: String) {
        var frame = Self.startFrame(.text, length: text.utf8.count, capacity: text.utf8.count)
        let headerLength = frame.readableBytes
        frame.writeString(text)
        self.init(frame: frame, headerLength: headerLength, isText: true)
    }

    /// Creates a buffer with the frame header for a payload of `length` bytes, and with room for `capacity`
    /// payload bytes.
    static func startFrame(_ opcode: WebSocketOpcode, length: Int, capacity: Int) -> ByteBuffer {
        var frame = ByteBufferAllocator().buffer(capacity: headerLength(for: length) + capacity)
        frame.writeInteger(0x80 | opcode.rawValue)
        switch headerLength(for: length) {
        case 2: frame.writeInteger(UInt8(length))
        case 4: frame.writeMultipleIntegers(UInt8(126), UInt16(length))
        default: frame.writeMultipleIntegers(UInt8(127), UInt64(length))
        }
        return frame
    }

    static func headerLength(for length: Int) -> Int {
        switch length {
        case ..<126: 2
        case ..<65_536: 4
        default: maximumHeaderLength
        }
    }

    /// The payload without the header.
    package var payload: ByteBuffer { frame.dropping(Int(headerLength)) }
}

extension ByteBuffer {
    fileprivate func dropping(_ count: Int) -> ByteBuffer {
        var buffer = self
        buffer.moveReaderIndex(forwardBy: count)
        return buffer
    }
}
