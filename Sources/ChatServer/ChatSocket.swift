internal import Basics
internal import FrontParsers
internal import HTTPFront
internal import NIOCore

/// The delegate of a chat WebSocket.
///
/// It must be used only on the event loop of its socket.
final class ChatSocket: ServiceSocketDelegate {
    private let desk: ChatDesk
    private let seat: ChatSeat
    private let id: Int

    init(_ desk: ChatDesk, _ seat: ChatSeat) { (self.desk, self.seat, id) = (desk, seat, desk.newID()) }

    func socketDidOpen(_ socket: ServiceSocket) { desk.open(id, socket, seat) }

    func socket(_ socket: ServiceSocket, didReceive message: FramedMessage) {
        // Comparing a text with thousands of combining marks takes very long.
        desk.receive(String(buffer: message.payload).streamSafe, from: id, socket)
    }

    func socketDidClose(_ socket: ServiceSocket) { desk.close(id, socket) }
}
