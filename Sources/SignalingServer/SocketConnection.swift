internal import Logging
internal import NIOCore
internal import SocketIO

/// A client's Socket.IO connection: it joins the namespace `/`, and with it the room, and leaves again.
final class SocketConnection {
    private let query: [String: String]
    private let session: EngineSession
    private let rooms: Rooms
    private let configuration: ServerConfiguration
    private let logger: Logger
    private var decoder = SocketDecoder()
    private var acks = ForwardedAcks()
    private var member: Member?
    private var hasEverJoined = false
    /// What came while a room token is checked; nil while none is.
    private var backlog: MessageBacklog?
    private var isOver = false

    init(
        query: [String: String],
        session: EngineSession,
        rooms: Rooms,
        configuration: ServerConfiguration,
        logger: Logger
    ) {
        self.configuration = configuration
        self.query = query
        self.session = session
        self.rooms = rooms
        self.logger = logger
    }

    /// Whether the client has joined the namespace and not left it again.
    var isConnected: Bool { member != nil }

    /// Gives the client the time that is configured to join a namespace.
    func startTimer(on loop: any EventLoop) {
        loop.assumeIsolated().scheduleTask(in: TimeAmount(configuration.connectTimeout)) { [weak self] in
            guard let self, !hasEverJoined else { return }
            session.close(.forcedServerClose)
        }
    }

    func send(_ packets: [EnginePacket]) { session.send(packets) }

    /// Another connection of the same client has taken this one's place.
    func replaced() {
        member = nil
        send(SocketPacket(type: .disconnect).enginePackets)
        session.close(.forcedServerClose)
    }

    /// Remembers to whom an event's ack goes; the id under which to ask for it here.
    func expectAck(for ackID: Int, from origin: SocketConnection) -> Int {
        acks.expect(ackID, from: origin)
    }

    private func receive(_ packet: SocketPacket) {
        switch (packet.type, member) {
        case (.connect, nil): connect(packet)
        case (.disconnect, let member?) where packet.namespace == "/":
            self.member = nil
            rooms.leave(member, .clientNamespaceDisconnect)
        case (.event, let member?) where packet.namespace == "/",
            (.binaryEvent, let member?) where packet.namespace == "/":
            rooms.relay(packet, from: member, on: self)
        case (.ack, .some) where packet.namespace == "/", (.binaryAck, .some) where packet.namespace == "/":
            forward(ack: packet)
        case (.connect, .some) where packet.namespace != "/": connect(packet)
        case (.connect, _), (.disconnect, _), (.event, _), (.binaryEvent, _), (.ack, _), (.binaryAck, _),
            (.connectError, _):
            session.close(.forcedServerClose)
        }
    }

    private func connect(_ packet: SocketPacket) {
        guard packet.namespace == "/" else {
            return refuse(packet.namespace, ["message": "Invalid namespace"])
        }
        do throws(JoinRefusal) {
            let request = try JoinRequest(query: query, auth: packet.payload)
            if let key = configuration.tokenKey {
                check(packet.payload?["token"]?.stringValue, for: request, with: key)
            } else {
                try join(request)
            }
        } catch {
            refuse(error)
        }
    }

    /// Finds out off the event loop whether the token lets the client in; what it sends meanwhile waits.
    private func check(_ token: String?, for request: JoinRequest, with key: TokenKey) {
        backlog = MessageBacklog()
        let checked = session.eventLoop.makeFutureWithTask {
            await RoomToken.refusal(of: token, for: request, with: key)
        }
        checked.assumeIsolated().whenComplete { [weak self] result in
            self?.checked(request, refusal: try? result.get())
        }
    }

    private func checked(_ request: JoinRequest, refusal: TokenRefusal?) {
        let waiting = backlog?.messages ?? []
        backlog = nil
        guard !isOver else { return }
        do throws(JoinRefusal) {
            if let refusal { throw .notAuthorized(refusal) }
            try join(request)
        } catch {
            refuse(error)
        }
        for message in waiting where !isOver {
            switch message {
            case .text(let text): session(didReceive: text)
            case .binary(let bytes): session(didReceive: bytes)
            }
        }
    }

    private func join(_ request: JoinRequest) throws(JoinRefusal) {
        let member = try rooms.join(request, on: self)
        self.member = member
        hasEverJoined = true
        let reply = SocketPacket(type: .connect, payload: ["sid": .string(SessionID.random())])
        send(reply.enginePackets + rooms.welcome(member))
    }

    private func refuse(_ refusal: JoinRefusal) {
        logger.debug("join refused", metadata: ["reason": "\(refusal)"])
        rooms.count(refusal)
        refuse("/", refusal.json)
    }

    /// Keeps a message for later; one that may not wait ends the session.
    private func wait(_ message: MessageBacklog.Message) {
        if backlog?.add(message) == false { session.close(.forcedServerClose) }
    }

    private func refuse(_ namespace: String, _ payload: JSON) {
        send(SocketPacket(type: .connectError, namespace: namespace, payload: payload).enginePackets)
    }

    private func forward(ack: SocketPacket) {
        guard let id = ack.ackID, let forward = acks.take(id), let origin = forward.origin, origin.isConnected
        else { return }
        var packet = ack
        packet.ackID = forward.id
        origin.send(packet.enginePackets)
    }
}

extension SocketConnection: EngineSessionDelegate {
    func session(didReceive text: String) {
        guard backlog == nil else { return wait(.text(text)) }
        decode { (decoder) throws(SocketParseError) in try decoder.decode(text: text) }
    }

    func session(didReceive bytes: [UInt8]) {
        guard backlog == nil else { return wait(.binary(bytes)) }
        decode { (decoder) throws(SocketParseError) in try decoder.decode(attachment: bytes) }
    }

    private func decode(_ step: (inout SocketDecoder) throws(SocketParseError) -> SocketPacket?) {
        do throws(SocketParseError) {
            if let packet = try step(&decoder) { receive(packet) }
        } catch {
            logger.debug("parse error", metadata: ["reason": "\(error)"])
            session.close(.parseError)
        }
    }

    func sessionDidFlood() {
        logger.info("too many messages")
        rooms.refusals.floods += 1
    }

    func sessionDidClose(_ reason: DisconnectReason) {
        isOver = true
        guard let member else { return }
        self.member = nil
        rooms.leave(member, reason)
    }
}
