internal import Basics
internal import NIOCore
internal import SocketIO

/// A filter that recognizes this server's own messages before they are decoded.
///
/// Redis sends published messages back, because the server is also a subscriber. This server's id is compared
/// only with the publisher's id at the beginning of a message, so that another server's message that contains
/// the id elsewhere does not match.
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
