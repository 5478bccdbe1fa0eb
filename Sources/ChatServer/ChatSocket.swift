internal import FrontParsers
internal import HTTPFront
internal import NIOCore

/// The delegate of a WebSocket of the chat.
///
/// Confined to the event loop.
final class ChatSocket: ServiceSocketDelegate {
    private let desk: ChatDesk
    private let person: Int
    private let peer: Int?
    private let isExtended: Bool
    private let names: [Int: String]
    private var id: Int?

    init(_ desk: ChatDesk, person: Int, peer: Int?, isExtended: Bool, names: [Int: String]) {
        (self.desk, self.person, self.peer) = (desk, person, peer)
        (self.isExtended, self.names) = (isExtended, names)
    }

    func socketDidOpen(_ socket: ServiceSocket) {
        id = desk.open(socket, person: person, peer: peer, isExtended: isExtended, names: names)
    }

    func socket(_ socket: ServiceSocket, didReceive message: FramedMessage) {
        if let id { desk.receive(String(buffer: message.payload), from: id, socket) }
    }

    func socketDidClose(_ socket: ServiceSocket) {
        if let id { desk.close(id, socket) }
    }
}
