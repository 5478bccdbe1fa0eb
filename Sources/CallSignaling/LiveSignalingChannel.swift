internal import CallCore
internal import Logging
internal import SocketIOClient

/// A room joined over Socket.IO; without a socket where the server's address is none.
struct LiveSignalingChannel: SignalingChannel {
    let events: AsyncStream<RoomEvent>
    let socket: Socket?
    /// Whose messages these are.
    let username: String
    let logger: Logger

    func send(_ message: SignalMessage, to addressee: String?) async {
        guard let (name, payload) = message.wire(from: username, to: addressee), let socket else { return }
        do {
            try await socket.emit(name, payload)
        } catch {
            logger.warning("signal dropped", metadata: ["event": "\(name)", "reason": "\(error)"])
        }
    }

    func probe() async { await socket?.probe() }

    func rejoin() async {
        await socket?.disconnect()
        await socket?.connect()
    }
}
