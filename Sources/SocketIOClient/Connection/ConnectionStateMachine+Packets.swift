internal import Basics
internal import SocketIO

extension ConnectionStateMachine {
    /// The maximum number of events that may arrive before the response to CONNECT.
    private static let earlyLimit = 256
    /// The maximum memory in bytes of events that arrive before the response to CONNECT.
    private static let earlySize = 8 << 20
    /// The maximum length of a ping's payload in bytes; servers send none, or `probe`.
    private static let pingLimit = 128

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
            // The pong repeats the payload, so the length of the payload is limited.
            guard payload.utf8.count <= Self.pingLimit else {
                return end(.parseError, .malformed("a ping of \(payload.utf8.count) bytes"))
            }
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
        // The server is closing. This is reported as a failed attempt, because the namespace was never
        // joined.
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
        isReconnectingFast = false
        joinTime = now
        let reports = early.map(deliver)
        (early, earlySize) = ([], 0)
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

    /// Closes the Engine.IO connection after the server has ended the session or refused the namespace.
    private mutating func closeEngine(_ effects: [ConnectionEffect]) -> [ConnectionEffect] {
        effects + leave()
    }

    private mutating func hold(_ packet: SocketPacket) -> [ConnectionEffect] {
        if case .report(let report) = deliver(packet) { earlySize += report.size ?? 0 }
        guard early.count < Self.earlyLimit, earlySize <= Self.earlySize else {
            return end(.transportError, .flooded)
        }
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

/// The progress of the upgrade from polling to WebSocket.
enum Upgrade: Hashable, Sendable {
    /// No upgrade is in progress or done, for example because the server offers none or the upgrade has
    /// failed.
    case none
    /// The WebSocket is opening, or the server has not answered the probe yet.
    case probing
    /// The server has answered the probe; polling finishes its requests, and outgoing packets are queued.
    case draining
    /// The WebSocket carries the session.
    case done
}

extension ConnectionStateMachine {
    /// The time after which an unfinished upgrade is abandoned and polling continues: the default of Socket.IO servers.
    private static let upgradeLimit: Duration = .seconds(10)
    private static let probe = "probe"

    /// Returns whether to fall back to polling after a server or proxy has refused or broken the WebSocket.
    func isAnsweredByPolling(_ end: TransportEnd) -> Bool {
        guard transports.fallsBack, transport == .websocket, !end.refusesClient else { return false }
        return switch (phase, end.failure) {
        case (.opening, .notEngineIO), (.handshaking, .closed), (.handshaking, .broken): true
        default: false
        }
    }

    mutating func beginUpgrade(after handshake: EngineHandshake) -> [ConnectionEffect] {
        guard transports.upgrades, transport == .polling,
            handshake.upgrades.contains(TransportName.websocket.rawValue)
        else { return [] }
        upgrade = .probing
        return [
            .openProbe(sid: handshake.sid), .startDeadline(.upgrade, life: life, after: Self.upgradeLimit),
        ]
    }

    mutating func handleProbe(_ event: TransportEvent) -> [ConnectionEffect] {
        switch (upgrade, event) {
        case (.done, _): return handle(event)
        case (.probing, .opened): return [.sendOnProbe([.ping(Self.probe)])]
        case (.probing, .packet(.pong(Self.probe))):
            upgrade = .draining
            return [.pausePolling]
        // python-engineio also sends a noop on the WebSocket.
        case (_, .packet(.noop)), (_, .reached), (_, .requested), (_, .pong), (_, .paused), (.none, _),
            (.draining, .opened):
            return []
        case (.probing, .packet), (.draining, .packet), (.probing, .ended), (.draining, .ended):
            return giveUpUpgrade()
        }
    }

    /// Completes the upgrade once polling is paused: the WebSocket carries the session from now on.
    mutating func switchOver() -> [ConnectionEffect] {
        guard upgrade == .draining else { return [] }
        upgrade = .done
        defer { held = [] }
        return [.switchToProbe, .send([.upgrade] + held)]
            + (phase == .connected ? [.report(.upgraded)] : [])
    }

    /// Abandons the upgrade and continues with polling; does nothing if no upgrade is in progress.
    mutating func giveUpUpgrade() -> [ConnectionEffect] {
        switch upgrade {
        case .none, .done: return []
        case .probing:
            upgrade = .none
            return [.dropProbe]
        case .draining:
            upgrade = .none
            defer { held = [] }
            return [.dropProbe, .resumePolling] + send(held)
        }
    }

    /// Sends packets, or queues them during the switch from polling to WebSocket.
    mutating func send(_ packets: [EnginePacket]) -> [ConnectionEffect] {
        guard upgrade == .draining else { return packets.isEmpty ? [] : [.send(packets)] }
        held += packets
        return []
    }
}
