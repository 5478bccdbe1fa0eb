internal import Basics
internal import FrontParsers
internal import HTTPFront
internal import Logging
internal import NIOCore
internal import SocketIO

/// A client's Socket.IO connection; joining the namespace `/` also joins the client's room.
final class SocketConnection {
    /// The request target of the handshake, whose query identifies the client; it is parsed when the client
    /// joins.
    private let target: String
    private let client: ClientAddress?
    private let session: EngineSession
    private let engine: EngineServer
    private var decoder = SocketDecoder()
    /// The number of bytes received so far of an incomplete packet's attachments.
    private var attachedBytes: UInt32 = 0
    /// The size in bytes of the text part of an incomplete packet; its decoded form takes several times as
    /// much.
    private var textBytes: UInt32 = 0
    private static let decodedFactor = 16
    /// The record of a packet whose attachments are incomplete; nil until there is such a packet.
    private var incomplete: IncompleteInput?
    private var acks = ForwardedAcks()
    /// Whether the join waits for a liveness check of another client, or for Redis.
    private var isDeciding = false
    private(set) var isOver = false
    private var member: Member?
    /// The messages that arrive while a join is being decided; nil at other times.
    private var backlog: MessageBacklog?

    init(_ target: String, from client: ClientAddress?, session: EngineSession, engine: EngineServer) {
        self.target = target
        self.client = client
        self.session = session
        self.engine = engine
    }

    private var rooms: Rooms { engine.rooms }
    private var logger: Logger { engine.logger }

    /// Whether the client has joined the namespace and its room.
    var isConnected: Bool { member != nil }

    func send(_ packets: [EnginePacket]) {
        for packet in packets { session.send(FramedMessage(packet)) }
    }

    func send(_ message: FramedMessage) { session.send(message) }

    /// Ends the connection because another one has replaced it.
    func replaced() {
        member = nil
        send(SocketPacket(type: .disconnect).enginePackets)
        session.close(.forcedServerClose)
    }

    /// Ends the connection as if it had been lost, so that the client may return.
    func breakOff() { session.close(.transportClose) }

    /// Registers an event's sender for this client's ack, and returns the id with which the ack is requested.
    func expectAck(for ackID: Int, from origin: SocketConnection) -> Int {
        expectAck { [weak origin] arguments in origin?.acknowledge(ackID, arguments) }
    }

    /// Registers the handler of this client's ack, and returns the id with which the ack is requested.
    func expectAck(_ forward: @escaping ([JSON]) -> Void) -> Int { acks.expect(forward) }

    /// Sends this client the ack of an event that it sent before, if it is still connected.
    func acknowledge(_ ackID: Int, _ arguments: [JSON]) {
        if isConnected { send(SocketPacket.ack(ackID, arguments).enginePackets) }
    }

    /// Removes the client from the room and the namespace; with `closing`, closes its connection too.
    func disconnect(closing: Bool) {
        guard let member else { return }
        self.member = nil
        rooms.leave(member, .clientNamespaceDisconnect)
        send(SocketPacket(type: .disconnect).enginePackets)
        if closing { session.close(.forcedServerClose) }
    }

    /// Handles a packet; `start` is the time when the packet's last message was read.
    private func receive(_ packet: SocketPacket, since start: NIODeadline) {
        switch (packet.type, member) {
        case (.connect, nil): connect(packet, since: start)
        case (.disconnect, let member?) where packet.namespace == "/":
            self.member = nil
            rooms.leave(member, .clientNamespaceDisconnect)
        case (.event, let member?) where packet.namespace == "/",
            (.binaryEvent, let member?) where packet.namespace == "/":
            rooms.relay(packet, from: member, on: self, since: start)
        case (.ack, .some) where packet.namespace == "/", (.binaryAck, .some) where packet.namespace == "/":
            forward(ack: packet)
        case (.connect, .some) where packet.namespace != "/": connect(packet, since: start)
        case (.connect, _), (.disconnect, _), (.event, _), (.binaryEvent, _), (.ack, _), (.binaryAck, _),
            (.connectError, _):
            session.close(.forcedServerClose)
        }
    }

    private func connect(_ packet: SocketPacket, since start: NIODeadline) {
        guard packet.namespace == "/" else {
            return refuse(packet.namespace, ["message": "Invalid namespace"])
        }
        do throws(JoinRefusal) {
            let request = try JoinRequest(query: RequestTarget(target).query, auth: packet.payload)
            if let key = engine.configuration.tokenKey {
                check(packet.payload?["token"]?.stringValue, for: request, with: key, since: start)
            } else {
                try join(request, since: start)
            }
        } catch {
            refuse(error)
        }
    }

    /// Verifies a token outside of the event loop; messages that arrive in the meantime are queued.
    private func check(
        _ token: String?,
        for request: JoinRequest,
        with key: TokenKey,
        since start: NIODeadline
    ) {
        backlog = MessageBacklog()
        let pass = engine.configuration.passCheck
        let checked = engine.eventLoop.makeFutureWithTask {
            await RoomToken.check(token, for: request, with: key, or: pass)
        }
        checked.assumeIsolated().whenComplete { [weak self] result in
            self?.checked(request, result.flatMap { $0.mapError { $0 } }, since: start)
        }
    }

    private func checked(
        _ request: JoinRequest,
        _ result: Result<RoomToken, any Error>,
        since start: NIODeadline
    ) {
        guard !isOver else { return }
        do throws(JoinRefusal) {
            var request = request
            let token = try Self.token(result)
            request.tokenExpiry = token.expiry
            request.isRoleBound = token.role != nil
            request.subject = token.subject
            try join(request, since: start)
        } catch {
            refuse(error)
        }
        if !isDeciding { readBacklog() }
    }

    private func readBacklog() {
        let waiting = backlog?.messages ?? []
        backlog = nil
        for message in waiting where !isOver { session(didReceive: message) }
    }

    private static func token(_ result: Result<RoomToken, any Error>) throws(JoinRefusal) -> RoomToken {
        do {
            return try result.get()
        } catch {
            // If the check could not be completed, the client is not admitted.
            throw .notAuthorized(error as? RoomTokenRefusal ?? .invalid(.malformed))
        }
    }

    private func join(_ request: JoinRequest, since start: NIODeadline) throws(JoinRefusal) {
        guard let holder = rooms.doubtfulHolder(for: request) else { return try enter(request, since: start) }
        isDeciding = true
        backlog = backlog ?? MessageBacklog()
        holder.session.checkLife { [weak self] _ in
            guard let self, !isOver else { return }
            isDeciding = false
            do throws(JoinRefusal) { try enter(request, since: start) } catch { refuse(error) }
            if !isDeciding { readBacklog() }
        }
    }

    /// Joins the room; in a cluster, the join completes asynchronously.
    private func enter(_ request: JoinRequest, since start: NIODeadline) throws(JoinRefusal) {
        guard let cluster = rooms.cluster else {
            return joined(try rooms.join(request, on: self, sid: SessionID.random().text), since: start)
        }
        isDeciding = true
        backlog = backlog ?? MessageBacklog()
        cluster.admission.admit(request, on: self) { [weak self] result in
            guard let self, !isOver else { return }
            isDeciding = false
            switch result {
            case .success(let member): joined(member, since: start)
            case .failure(let refusal): refuse(refusal)
            }
            readBacklog()
        }
    }

    private func joined(_ member: Member, since start: NIODeadline) {
        self.member = member
        session.didJoin()
        let reply = SocketPacket(type: .connect, payload: ["sid": .string(member.sid)])
        send(reply.enginePackets)
        rooms.welcome(member)
        engine.metrics.joined(since: start)
    }

    private func refuse(_ refusal: JoinRefusal) {
        logger.debug("join refused", metadata: ["reason": "\(refusal)"])
        engine.metrics.joinRefused(refusal.counted)
        refuse("/", refusal.json)
    }

    /// Queues a message until the join is decided; if the queue is full, ends the session.
    private func wait(_ message: FramedMessage) {
        if backlog?.add(message) == false { session.close(.forcedServerClose) }
    }

    private func refuse(_ namespace: String, _ payload: JSON) {
        send(SocketPacket(type: .connectError, namespace: namespace, payload: payload).enginePackets)
    }

    private func forward(ack: SocketPacket) {
        if let id = ack.ackID { acks.take(id)?(ack.arguments) }
    }
}

extension SocketConnection: EngineSessionDelegate {
    func session(didReceive message: FramedMessage) {
        guard backlog == nil else { return wait(message) }
        let start = engine.batch.readTime
        if message.isText {
            if relay(message, since: start) { return }
            let count = message.payload.readableBytes
            guard session.takeDecoding(count) else { return }
            (attachedBytes, textBytes) = (0, UInt32(clamping: count))
            let text = String(decoding: message.payload.readableBytesView.dropFirst(), as: UTF8.self)
            decode(since: start) { (decoder) throws(SocketParseError) in try decoder.decode(text: text) }
        } else {
            // The maximum payload applies to all attachments of a packet together.
            attachedBytes = UInt32(clamping: Int(attachedBytes) + message.payload.readableBytes)
            guard Int(attachedBytes) <= engine.configuration.maximumPayload else {
                return session.close(.parseError)
            }
            let bytes = Array(message.payload.readableBytesView)
            decode(since: start) { (decoder) throws(SocketParseError) in try decoder.decode(attachment: bytes)
            }
        }
    }

    /// Relays an event without decoding it; false if the message has to be decoded.
    private func relay(_ message: FramedMessage, since start: NIODeadline) -> Bool {
        guard let member, !decoder.awaitsAttachments, !rooms.decodesEvents else { return false }
        let text = message.payload
        guard let event = EventScan(text.readableBytesUInt8Span, from: 1), !event.asksForAck else {
            return false
        }
        if !RoomPayloads.isReserved(event, in: text.readableBytesUInt8Span) {
            let kind = RelayEvent(event, in: text.readableBytesUInt8Span)
            if let refusal = rooms.refusal(of: event, kind, in: text.readableBytesUInt8Span, from: member) {
                rooms.drop(refusal, of: member)
            } else {
                rooms.relay(message, kind, from: member, since: start)
            }
        }
        return true
    }

    private func decode(
        since start: NIODeadline,
        _ step: (inout SocketDecoder) throws(SocketParseError) -> SocketPacket?
    ) {
        do throws(SocketParseError) {
            if let packet = try step(&decoder) {
                receive(packet, since: start)
            } else if member == nil {
                // Only events and acks have attachments.
                session.close(.forcedServerClose)
            }
        } catch {
            logger.debug("parse error", metadata: ["reason": "\(error)"])
            session.close(.parseError)
        }
        noteIncompleteInput()
    }

    private func noteIncompleteInput() {
        guard decoder.awaitsAttachments, !isOver else { return incomplete?.finish() ?? () }
        let record =
            incomplete ?? IncompleteInput(engine.front) { [weak self] in self?.session.close(.slowSender) }
        incomplete = record
        record.note(bytes: Int(textBytes) * Self.decodedFactor + Int(attachedBytes), from: client)
    }

    func sessionDidClose(_ reason: DisconnectReason) {
        isOver = true
        incomplete?.finish()
        guard let member else { return }
        self.member = nil
        rooms.leave(member, reason)
    }
}
