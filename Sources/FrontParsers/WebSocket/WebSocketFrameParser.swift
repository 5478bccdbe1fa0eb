package import NIOCore

/// The parser for a client's WebSocket stream (RFC 6455) without extensions.
///
/// The payload of a message in one frame is copied once, while it is unmasked: from the receive buffer to the
/// position after a frame header for sending. The resulting frame can be sent unchanged, and waits for slow
/// readers without retaining a receive buffer.
package struct WebSocketFrameParser {
    package enum Event {
        /// A complete message, which is binary or valid UTF-8 text.
        case message(FramedMessage)
        /// A fragment of a message that is not complete yet.
        case fragment
        case ping(ByteBuffer)
        case pong
        /// A close frame with the peer's code; 1005 if it sent none.
        case close(UInt16)
    }

    /// A frame whose header has been read, and whose payload may be incomplete.
    fileprivate struct Frame {
        let header: WebSocketFrameHeader
        /// The number of payload bytes read so far.
        var received = 0
        /// The payload; in a continuation frame, it includes the payloads of the message's earlier frames.
        var data: ByteBuffer
    }

    private let maximumLength: Int
    private var input = ByteBuffer()
    private var frame: Frame?
    /// The opcode and the payload so far of an incomplete message with several frames.
    private var fragments: (opcode: WebSocketOpcode, data: ByteBuffer)?

    /// Creates a parser.
    ///
    /// - Parameter maximumLength: The maximum length of a message in bytes, in one frame or in several.
    package init(maximumLength: Int) { self.maximumLength = maximumLength }

    /// The size in bytes of the buffers of an incomplete message or frame, at least 1; 0 if there is none.
    package var incompleteBytes: Int {
        input.readableBytes + (frame.map { max(1, $0.data.storageCapacity) } ?? 0)
            + (fragments.map { max(1, $0.data.storageCapacity) } ?? 0)
    }

    /// Adds received bytes; call `next()` afterwards until it returns nil.
    package mutating func append(_ bytes: ByteBuffer) {
        if input.readableBytes == 0 {
            input = bytes
        } else {
            input.writeImmutableBuffer(bytes)
        }
    }

    /// Parses the next event; nil if more bytes are needed.
    ///
    /// - Throws: `WebSocketViolation`, after which `next()` must not be called again.
    package mutating func next() throws(WebSocketViolation) -> Event? {
        while true {
            if frame == nil {
                guard let header = try WebSocketFrameHeader(reading: &input) else { break }
                frame = try start(header)
            }
            guard var current = frame else { break }
            frame = nil
            current.read(from: &input)
            guard current.received == current.header.length else {
                frame = current
                break
            }
            if let event = try finish(current) { return event }
        }
        // The remaining bytes are copied, so that an incomplete header does not retain its receive buffer.
        input = input.readableBytes == 0 ? ByteBuffer() : ByteBuffer(bytes: input.readableBytesView)
        return nil
    }

    private mutating func start(_ header: WebSocketFrameHeader) throws(WebSocketViolation) -> Frame {
        switch header.opcode {
        case .continuation:
            guard let earlier = fragments else { throw .protocolError }
            // The stored reference is dropped, because appending to a shared buffer would copy it.
            fragments = (earlier.opcode, ByteBuffer())
            guard header.length <= maximumLength - earlier.data.readableBytes else { throw .tooLarge }
            return Frame(header: header, data: earlier.data)
        case .text, .binary:
            guard fragments == nil else { throw .protocolError }
            guard header.length <= maximumLength else { throw .tooLarge }
        case .close, .ping, .pong: break
        }
        return Frame(header: header, data: Self.startData(header, available: input.readableBytes))
    }

    private static func startData(_ header: WebSocketFrameHeader, available: Int) -> ByteBuffer {
        // No memory is reserved for a length that is only announced.
        let capacity = min(header.length, available)
        if header.opcode.isControl || !header.isFinal {
            return ByteBufferAllocator().buffer(capacity: capacity)
        }
        return FramedMessage.startFrame(header.opcode, length: header.length, capacity: capacity)
    }

    private mutating func finish(_ frame: Frame) throws(WebSocketViolation) -> Event? {
        switch frame.header.opcode {
        case .ping: return .ping(frame.data)
        case .pong: return .pong
        case .close: return .close(try Self.closeCode(frame.data))
        case .text, .binary: return try finish(message: frame)
        case .continuation: return try finish(fragment: frame)
        }
    }

    private mutating func finish(message frame: Frame) throws(WebSocketViolation) -> Event? {
        guard frame.header.isFinal else {
            fragments = (frame.header.opcode, frame.data)
            return .fragment
        }
        let message = FramedMessage(
            frame: frame.data,
            headerLength: FramedMessage.headerLength(for: frame.header.length),
            isText: frame.header.opcode == .text
        )
        return .message(try Self.validated(message))
    }

    private mutating func finish(fragment frame: Frame) throws(WebSocketViolation) -> Event? {
        guard let (opcode, _) = fragments else { return nil }
        guard frame.header.isFinal else {
            fragments = (opcode, frame.data)
            return .fragment
        }
        fragments = nil
        return .message(
            try Self.validated(FramedMessage(opcode: opcode, frame.data.readableBytesView))
        )
    }

    private static func validated(_ message: FramedMessage) throws(WebSocketViolation) -> FramedMessage {
        guard !message.isText || message.payload.isUTF8 else { throw .invalidText }
        return message
    }

    private static func closeCode(_ data: ByteBuffer) throws(WebSocketViolation) -> UInt16 {
        var data = data
        if data.readableBytes == 0 { return 1005 }
        guard let code: UInt16 = data.readInteger() else { throw .protocolError }
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: throw .protocolError
        }
        guard data.isUTF8 else { throw .invalidText }
        return code
    }
}

extension WebSocketFrameParser.Frame {
    /// Moves the available part of the payload out of `input` and unmasks it.
    fileprivate mutating func read(from input: inout ByteBuffer) {
        let count = min(input.readableBytes, header.length - received)
        guard count > 0 else { return }
        let mask = header.mask.rotated(by: received)
        input.readWithUnsafeReadableBytes { source in
            data.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { target in
                mask.apply(to: UnsafeRawBufferPointer(rebasing: source[..<count]), writing: target)
                return count
            }
            return count
        }
        received += count
    }
}

extension ByteBuffer {
    fileprivate var isUTF8: Bool { (try? UTF8Span(validating: readableBytesUInt8Span)) != nil }
}
