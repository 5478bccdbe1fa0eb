internal import FrontParsers
internal import NIOCore
internal import SocketIO

extension FramedMessage {
    init(_ packet: EnginePacket) {
        if case .binary(let bytes) = packet {
            self.init(opcode: .binary, bytes)
        } else {
            self.init(text: packet.text)
        }
    }

    /// The payload for transports without binary data; a binary payload is encoded as `b` followed by Base64.
    var pollingText: ByteBuffer {
        isText ? payload : ByteBuffer(string: EnginePacket.binary(Array(payload.readableBytesView)).text)
    }

    /// The same message, converted to an equivalent text message if it is binary.
    var asText: FramedMessage {
        isText ? self : FramedMessage(opcode: .text, pollingText.readableBytesView)
    }
}

extension FramedMessage {
    static let close = FramedMessage(.close)
    static let ping = FramedMessage(.ping(""))
    static let noop = FramedMessage(.noop)
    static let probePong = FramedMessage(.pong("probe"))

    /// Determines whether the message is a text message equal to `text`.
    func isText(_ text: StaticString) -> Bool {
        isText
            && payload.readableBytesView.elementsEqual(
                UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            )
    }
}
