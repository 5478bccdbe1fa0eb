internal import NIOCore
internal import NIOWebSocket

/// A breach of RFC 6455, which ends the connection with its code.
enum WebSocketViolation: Error {
    case protocolError, tooLarge, invalidText

    var closeCode: WebSocketErrorCode {
        switch self {
        case .protocolError: .protocolError
        case .tooLarge: .messageTooLarge
        case .invalidText: .dataInconsistentWithMessage
        }
    }
}

/// Puts a client's messages together from their frames.
struct WebSocketMessageAssembler {
    enum Message {
        case text(String)
        case binary([UInt8])
    }

    let maximumLength: Int
    /// The first frames of a message whose last one has not come yet.
    private var fragments: (opcode: WebSocketOpcode, data: ByteBuffer)?

    init(maximumLength: Int) { self.maximumLength = maximumLength }

    /// Takes a text, binary or continuation frame; the message that it completes.
    mutating func add(_ frame: WebSocketFrame) throws(WebSocketViolation) -> Message? {
        var data = frame.unmaskedData
        var opcode = frame.opcode
        switch (fragments, frame.opcode == .continuation) {
        case (var earlier?, true):
            guard earlier.data.readableBytes + data.readableBytes <= maximumLength else { throw .tooLarge }
            fragments = nil  // else the buffer were shared, and appending copied it
            earlier.data.writeBuffer(&data)
            (opcode, data) = earlier
        case (nil, false):
            guard data.readableBytes <= maximumLength else { throw .tooLarge }
        case (nil, true), (.some, false):
            throw .protocolError
        }
        guard frame.fin else {
            fragments = (opcode, data)
            return nil
        }
        if opcode == .binary { return .binary(Array(data.readableBytesView)) }
        guard let text = String(validating: data.readableBytesView, as: UTF8.self) else { throw .invalidText }
        return .text(text)
    }
}
