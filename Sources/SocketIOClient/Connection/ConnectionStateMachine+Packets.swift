internal import SocketIO

extension ConnectionStateMachine {
    /// The maximum number of events before the answer to CONNECT.
    private static let earlyLimit = 256

    mutating func handle(_ event: TransportEvent) -> [ConnectionEffect] {
        switch (event, phase) {
        case (.reached, .opening): return reach()
        case (.requested, .opening): phase = .opening(isRequested: true)
        case (.opened, .opening): phase = .handshaking
        case (.packet(let packet), .handshaking): return begin(with: packet)
        case (.packet(let packet), .joining), (.packet(let packet), .connected):
            isSignAwaited = false
            return handle(packet)
        case (.pong, _): isSignAwaited = false
        case (.paused, _): return switchOver()
        case (.ended(let end), _) where isAnsweredByPolling(end): return [.abandon] + begin(over: .polling)
        case (.ended(let end), .handshaking) where end.failure.isMalformedMessage:
            return self.end(end.reason, .notEngineIO(end.failure.description, status: nil))
        case (.ended(let end), _): return self.end(end.reason, end.failure)
        case (.reached, _), (.requested, _), (.opened, _), (.packet, _): break
        }
        return []
    }

    private mutating func begin(with packet: EnginePacket) -> [ConnectionEffect] {
        guard case .open(let handshake) = packet else {
            return end(.parseError, .notEngineIO("its first message is not a handshake", status: nil))
        }
        phase = .joining
        heartbeatPeriod = .milliseconds(handshake.pingInterval + handshake.pingTimeout)
        heartbeatDue = now + heartbeatPeriod
        serverLimit = handshake.maxPayload
        let connect = SocketPacket(type: .connect, namespace: namespace, payload: auth.map(JSON.object))
        return [
            .send(frames(of: connect)), .startDeadline(.heartbeat, life: life, after: heartbeatPeriod),
        ] + beginUpgrade(after: handshake)
    }

    private mutating func handle(_ packet: EnginePacket) -> [ConnectionEffect] {
        switch packet {
        case .ping(let payload):
            heartbeatDue = now + heartbeatPeriod
            return send([.pong(payload)])
        case .message(let text):
            return decode { (decoder) throws(SocketParseError) in try decoder.decode(text: text) }
        case .binary(let bytes):
            return decode { (decoder) throws(SocketParseError) in try decoder.decode(attachment: bytes) }
        case .close: return end(.transportClose, .closed(code: nil))
        case .open: return end(.parseError, .malformed("a second handshake"))
        case .pong, .upgrade, .noop: return []
        }
    }

    private mutating func decode(
        _ next: (inout SocketDecoder) throws(SocketParseError) -> SocketPacket?
    ) -> [ConnectionEffect] {
        do throws(SocketParseError) {
            guard let packet = try next(&decoder), packet.namespace == namespace else { return [] }
            return handle(packet)
        } catch {
            return end(.parseError, .malformed("\(error)"))
        }
    }

    private mutating func handle(_ packet: SocketPacket) -> [ConnectionEffect] {
        switch (packet.type, phase) {
        case (.connect, .joining): join(packet)
        case (.connectError, .joining): refuse(packet)
        // The server is closing; the namespace was never joined, so this is no disconnection.
        case (.disconnect, .joining): end(.transportClose, .closed(code: nil))
        case (.disconnect, .connected): dismiss()
        case (.event, .joining), (.binaryEvent, .joining): hold(packet)
        case (.event, .connected), (.binaryEvent, .connected): [deliver(packet)]
        case (.ack, .connected), (.binaryAck, .connected):
            packet.ackID.map { [.resolveAck($0, packet.arguments)] } ?? []
        case (.connect, _), (.connectError, _), (.disconnect, _), (.event, _), (.binaryEvent, _), (.ack, _),
            (.binaryAck, _):
            []
        }
    }

    private mutating func join(_ packet: SocketPacket) -> [ConnectionEffect] {
        // Servers before Socket.IO 3 answer without a session id.
        guard let sid = packet.payload?["sid"]?.stringValue else {
            return end(.parseError, .notEngineIO("it answers CONNECT without a session id", status: nil))
        }
        phase = .connected
        attempt = 0
        isInHurry = false
        joinTime = now
        let reports = early.map(deliver)
        early = []
        return [.report(.connected(sid: sid))] + reports + flush()
    }

    private mutating func refuse(_ packet: SocketPacket) -> [ConnectionEffect] {
        let message = packet.payload?["message"]?.stringValue ?? packet.payload?.stringValue ?? "refused"
        return closeEngine([.report(.refused(message: message, data: packet.payload?["data"]))])
    }

    private mutating func dismiss() -> [ConnectionEffect] {
        closeEngine([
            .failAcks(except: waitingAcks), .report(.disconnected(.serverDisconnect, nil, retryIn: nil)),
        ])
    }

    /// Closes the engine after the server has ended the session or refused the namespace.
    private mutating func closeEngine(_ effects: [ConnectionEffect]) -> [ConnectionEffect] {
        effects + leave()
    }

    private mutating func hold(_ packet: SocketPacket) -> [ConnectionEffect] {
        guard early.count < Self.earlyLimit else { return end(.transportError, .flooded) }
        early.append(packet)
        return []
    }

    private func deliver(_ packet: SocketPacket) -> ConnectionEffect {
        .report(
            .event(
                name: packet.eventName ?? "",
                arguments: packet.arguments,
                ackID: packet.ackID,
                life: life
            )
        )
    }
}

extension SocketFailure {
    fileprivate var isMalformedMessage: Bool {
        if case .malformed = self { true } else { false }
    }
}
