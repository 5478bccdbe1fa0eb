internal import CallCore
internal import FrontParsers
internal import HTTPFront
internal import Logging
internal import NIOCore
internal import SocketIO

/// The fault injection of a server, which chooses the faults of each event, and applies, logs and counts
/// them.
///
/// Confined to the server's event loop.
final class Chaos {
    /// The maximum number of delayed messages, for all clients together.
    ///
    /// Beyond it, messages are sent immediately, and duplicates are not sent.
    static let maximumWaiting = 4096
    static let maximumWaitingBytes = 16 << 20

    private let profile: ChaosProfile
    private let eventLoop: any EventLoop
    private let metrics: ServerMetrics
    private let logger: Logger
    private var ledger: ChaosLedger
    private var lines: [ObjectIdentifier: DelayQueue] = [:]
    private var waiting = (count: 0, bytes: 0)
    /// The sockets that are about to be closed.
    private var closing: Set<ObjectIdentifier> = []

    init(
        _ configuration: ChaosConfiguration,
        eventLoop: any EventLoop,
        metrics: ServerMetrics,
        logger: Logger
    ) {
        profile = configuration.profile
        ledger = ChaosLedger(seed: configuration.seed)
        self.eventLoop = eventLoop
        self.metrics = metrics
        self.logger = logger
        metrics.counts.chaos = Tally()
    }

    /// The event that a fault applies to, with its sender's role and room.
    struct Subject {
        /// The kind of event; nil stands for a join.
        let event: ChaosEvent?
        let role: Role
        let room: RoomID
    }

    /// Injects the faults of a join; false if the client must not be informed of the room's members.
    func welcomes(_ member: Member) -> Bool {
        let subject = Subject(event: nil, role: member.role, room: member.identity.room)
        var random = ledger.random(for: nil, of: subject.role, in: subject.room)
        let (isSilent, isClosed) = (random.falls(profile.silence), random.falls(profile.closeAfterJoin))
        let delay = random.number(in: profile.closeDelay)
        if isClosed { close(member.socket, of: "newcomer", after: delay, subject) }
        if isSilent { note(.silence, subject) }
        return !isSilent
    }

    /// Sends a member's event with the faults chosen for it; the result is the number of recipients, 0 if it
    /// is dropped.
    @discardableResult
    func pass(
        _ packet: SocketPacket,
        _ event: ChaosEvent,
        of member: Member,
        to recipients: [SocketConnection]
    )
        -> Int
    {
        guard !recipients.isEmpty, let faults = profile.faults[event] else {
            return sendOn(packet, to: recipients)
        }
        let subject = Subject(event: event, role: member.role, room: member.identity.room)
        var random = ledger.random(for: event, of: subject.role, in: subject.room)
        let outcome = FaultOutcome(faults, of: event, delay: profile.delay, &random)
        if let closing = outcome.closing {
            switch closing.side {
            case .sender: close(member.socket, of: "sender", after: closing.delay, subject)
            case .recipient: close(recipients.first, of: "recipient", after: closing.delay, subject)
            }
        }
        if outcome.isDropped {
            note(.drop, subject)
            return 0
        }
        var packet = packet
        if outcome.isGarbled {
            let (garbled, detail) = Garbling.garbled(packet, &random)
            packet = garbled
            note(.garble, subject, ["detail": "\(detail)"])
        }
        if let delay = outcome.delay { note(.delay, subject, ["ms": "\(delay)"]) }
        if outcome.isOvertaken { note(.reorder, subject) }
        if let delay = outcome.copyDelay { note(.duplicate, subject, ["ms": "\(delay)"]) }
        let messages = packet.enginePackets.map { FramedMessage($0) }
        for recipient in recipients { send(messages, outcome, to: recipient) }
        return recipients.count
    }

    private func note(_ fault: Fault, _ subject: Subject, _ details: Logger.Metadata = [:]) {
        metrics.counts.chaos?[fault] += 1
        var metadata = details
        metadata["deed"] = "\(fault.label)"
        metadata["event"] = "\(subject.event?.label ?? "join")"
        metadata["room"] = "\(subject.room)"
        metadata["from"] = "\(subject.role)"
        logger.warning("chaos", metadata: metadata)
    }
}

// MARK: - Delayed sending

extension Chaos {
    private func sendOn(_ packet: SocketPacket, to recipients: [SocketConnection]) -> Int {
        let messages = packet.enginePackets.map { FramedMessage($0) }
        for recipient in recipients { send(messages, after: .zero, isOvertaken: false, to: recipient) }
        return recipients.count
    }

    private func send(_ messages: [FramedMessage], _ outcome: FaultOutcome, to socket: SocketConnection) {
        let delay = TimeAmount.milliseconds(Int64(outcome.delay ?? 0))
        let isDoubled = outcome.copyDelay == 0
        send(
            isDoubled ? messages + messages : messages,
            after: delay,
            isOvertaken: outcome.isOvertaken,
            to: socket
        )
        guard let copyDelay = outcome.copyDelay, !isDoubled, hasRoom(for: messages) else { return }
        let time = eventLoop.now + delay + .milliseconds(Int64(copyDelay))
        line(of: socket).addCopy(messages, until: time)
        wake(socket, at: time)
    }

    private func send(
        _ messages: [FramedMessage],
        after delay: TimeAmount,
        isOvertaken: Bool,
        to socket: SocketConnection
    ) {
        let now = eventLoop.now
        let line = lines[ObjectIdentifier(socket)]
        let time = line?.time(after: delay, at: now) ?? now + delay
        guard time > now || isOvertaken, hasRoom(for: messages) else {
            if let line { release(line.send(messages), socket) } else { messages.forEach(socket.send) }
            return
        }
        if isOvertaken {
            let limit = time + DelayQueue.maximumDelay
            self.line(of: socket).addOvertaken(messages, until: limit)
            wake(socket, at: limit)
        } else {
            self.line(of: socket).add(messages, until: time)
            wake(socket, at: time)
        }
    }

    /// Adds messages to the count of delayed ones; false if that would exceed the maximum.
    private func hasRoom(for messages: [FramedMessage]) -> Bool {
        let bytes = messages.reduce(0) { $0 + $1.payload.readableBytes }
        guard waiting.count + messages.count <= Self.maximumWaiting,
            waiting.bytes + bytes <= Self.maximumWaitingBytes
        else { return false }
        waiting = (waiting.count + messages.count, waiting.bytes + bytes)
        return true
    }

    private func line(of socket: SocketConnection) -> DelayQueue {
        if let line = lines[ObjectIdentifier(socket)] { return line }
        let line = DelayQueue(socket)
        lines[ObjectIdentifier(socket)] = line
        return line
    }

    private func wake(_ socket: SocketConnection, at time: NIODeadline) {
        eventLoop.assumeIsolated().scheduleTask(deadline: time) { [weak self, weak socket] in
            guard let self, let socket, let line = lines[ObjectIdentifier(socket)] else { return }
            release(line.sendDue(at: eventLoop.now), socket)
        }
    }

    /// Subtracts sent messages from the count of delayed ones.
    private func release(_ messages: [FramedMessage], _ socket: SocketConnection) {
        waiting.count -= messages.count
        waiting.bytes -= messages.reduce(0) { $0 + $1.payload.readableBytes }
        if lines[ObjectIdentifier(socket)]?.isEmpty == true { lines[ObjectIdentifier(socket)] = nil }
    }
}

// MARK: - Closing sockets

extension Chaos {
    private func close(
        _ socket: SocketConnection?,
        of owner: String,
        after milliseconds: Int,
        _ subject: Subject
    ) {
        guard let socket, closing.insert(ObjectIdentifier(socket)).inserted else { return }
        note(.close, subject, ["whose": "\(owner)", "ms": "\(milliseconds)"])
        let delay = TimeAmount.milliseconds(Int64(milliseconds))
        // The scheduled task retains the socket, so that its `ObjectIdentifier` is not reused before the task
        // has run.
        eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            self?.closing.remove(ObjectIdentifier(socket))
            socket.breakOff()
        }
    }
}
