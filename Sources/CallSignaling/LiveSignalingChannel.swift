internal import Basics
internal import CallCore
internal import Logging
internal import SocketIOClient

/// The channel of a room joined over Socket.IO; it has no socket if the server's URL is invalid.
struct LiveSignalingChannel: SignalingChannel {
    let events: AsyncStream<RoomEvent>
    let socket: Socket?
    /// The sender name in outgoing messages.
    let username: String
    let logger: Logger
    let outgoing: OutgoingSignals

    func send(_ message: SignalMessage, to addressee: String?) async {
        guard let (name, payload) = message.wire(from: username, to: addressee), let socket else { return }
        do {
            try await socket.emit(name, payload)
            if outgoing.isWrapping, let wrapping = message.wrapping(from: username, to: addressee) {
                try await socket.emit("answer", wrapping)
            }
        } catch .tooLarge(let bytes, let limit) {
            await sendReduced(message, to: addressee, bytes, limit)
        } catch {
            logger.warning("signaling message dropped", metadata: ["event": "\(name)", "reason": "\(error)"])
        }
    }

    /// Handles a message that is too large for the server.
    ///
    /// An offer is sent again with fewer codecs. A description that remains too large ends the session in the
    /// room; any other message is dropped.
    private func sendReduced(_ message: SignalMessage, to addressee: String?, _ bytes: Int, _ limit: Int)
        async
    {
        func reportOversize(_ name: String, isReduced: Bool = false) {
            outgoing.report(.init(name: name, bytes: bytes, limit: limit, isReduced: isReduced))
        }
        switch message {
        case .offer(let offer):
            guard let (name, payload) = message.wire(from: username, to: addressee),
                case .object(var members) = payload
            else { return reportOversize("offer") }
            for smaller in SessionDescription.reducedOffers(of: offer.sdp) {
                members["sdp"] = .string(smaller)
                guard (try? await socket?.emit(name, .object(members))) != nil else { continue }
                reportOversize("offer", isReduced: true)
                return
            }
            reportOversize("offer")
        case .answer: reportOversize("answer")
        case .candidate, .ringing, .hangup, .restart, .mediaState:
            logger.warning(
                "signaling message dropped: it is too large for the server",
                metadata: ["bytes": "\(bytes)", "limit": "\(limit)"]
            )
        }
    }

    func probe() async { await socket?.probe() }

    func rejoin() async {
        await socket?.disconnect()
        await socket?.connect()
    }
}
