internal import NIOCore
internal import SocketIO

/// By what a server knows what it has published itself, which Redis brings back to it, before anything is decoded.
///
/// It looks for its id where it writes that itself: whoever else writes it elsewhere is not taken for an echo.
struct Echo {
    private let beginnings: [[UInt8]]

    init(of node: String) {
        var broadcast = MessagePackEncoder()
        broadcast.appendArrayHeader(3)
        broadcast.append(node)
        var request = MessagePackEncoder()
        request.appendMapHeader(5)
        request.append("uid")
        request.append(node)
        let id = JSON.string(node).serialized()
        beginnings = [
            broadcast.bytes, request.bytes, Array("{\"node\":\(id),".utf8), Array("{\"uid\":\(id),".utf8),
        ]
    }

    func isHeard(in message: ByteBuffer) -> Bool {
        message.withUnsafeReadableBytes { bytes in beginnings.contains { bytes.starts(with: $0) } }
    }
}
