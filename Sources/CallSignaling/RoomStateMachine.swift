internal import Basics
internal import CallCore
internal import SocketIOClient

/// The state machine that translates socket events into room events; it has no clock and no socket.
struct RoomStateMachine {
    enum Input: Sendable {
        case socket(SocketEvent)
        /// A deadline has passed; it is ignored if the room was joined again in the meantime.
        case deadline(Deadline, joining: Int)
        /// A description could not be sent as it is, because it is too large for the server.
        case oversize(OutgoingSignals.Oversize)
        /// Too many events wait to be read.
        case flooded
    }

    enum Deadline: Hashable, Sendable {
        /// The time limit for the first connection.
        case server
        /// The time limit for the server to report who is in the room.
        case roomState
        /// The delay before reconnecting to a server that has disconnected or refused this client.
        case reconnection
        /// The time in the room after which the connection counts as stable.
        case stability
    }

    enum Effect: Sendable {
        case report(RoomEvent)
        case startDeadline(Deadline, joining: Int, after: Duration)
        case connect
        /// Reports why the first attempt to connect has failed; further attempts follow.
        case tellMiss(String)
        /// Sets whether messages that the server does not relay are also sent inside an `answer`.
        ///
        /// See `SignalMessage.wrapped`.
        case wrap(Bool)
        case acknowledge(SocketAck)
        /// Ignores an event that is unknown or has a malformed payload.
        case ignore(event: String)
    }

    /// The delays before reconnecting to a server that disconnects this client repeatedly; the last one is repeated.
    private static let reconnectionDelays: [Duration] = [2, 4, 8, 16, 30].map { .seconds($0) }
    /// The time in the room after which the reconnection delays start with the first one again.
    private static let stableTime: Duration = .seconds(30)

    /// The maximum delay in seconds by which a server can defer the reconnection; longer ones are shortened.
    private static let longestRetryDelay = 60

    private(set) var isOver = false
    /// The URL without secrets.
    private let url: String
    private let username: String
    private let serverTimeout: Duration
    private let failsAtOnce: Bool
    private let roomStateTimeout: Duration

    /// The number of times that the room has been joined.
    private var joinings = 0
    private var isJoined = false
    private var isRoomStateKnown = false
    /// Whether the first connection is late; the connection attempt in progress will report the reason.
    private var isOverdue = false
    /// Whether the socket was lost without being closed by the server, and no server has responded since.
    private var isLossSilent = false
    /// Whether this client has left the room in order to rejoin it.
    private var isRejoining = false
    /// The number of consecutive times that the server has disconnected this client.
    private var serverDisconnects = 0
    private var wrapping = Wrapping()
    private var isReductionReported = false
    private var lastFailure: SocketFailure?
    /// Whether the server has refused this client because the server is shutting down.
    private var isServerShuttingDown = false

    init(_ configuration: SignalingConfiguration, username: String) {
        url = configuration.shownURL
        self.username = username
        serverTimeout = configuration.serverTimeout
        failsAtOnce = configuration.failsAtOnce
        roomStateTimeout = configuration.roomStateTimeout
    }

    mutating func start() -> [Effect] { [.startDeadline(.server, joining: 0, after: serverTimeout)] }

    mutating func handle(_ input: Input) -> [Effect] {
        guard !isOver else { return [] }
        switch input {
        case .socket(.connecting), .socket(.upgraded): return []
        case .socket(.connected(_, let transport)): return join(transport: transport)
        case .socket(.event(let name, let arguments, let ack)):
            return receive(name, arguments) + acknowledgement(ack)
        case .socket(.connectFailed(let failure, let wait)): return miss(failure, retryIn: wait)
        case .socket(.disconnected(let reason, let failure, let wait)):
            return lose(reason, failure, retryIn: wait)
        case .socket(.refused("server_draining", let data)): return wait(for: data?["retryAfter"])
        case .socket(.refused(let message, let data)):
            return fail(SignalingFailure(refusal: message, data: data))
        case .socket(.undeliverable(let name, let bytes, let limit)): return refuse(name, bytes, limit)
        case .oversize(let size):
            guard size.isReduced else { return refuse(size.name, size.bytes, size.limit) }
            defer { isReductionReported = true }
            return isReductionReported
                ? [] : [.report(.offerReduced(bytes: size.bytes, limit: size.limit))]
        case .flooded: return fail(.badEvent("the server sent more events than could be read"))
        case .deadline(let deadline, let joining): return joining == joinings ? reach(deadline) : []
        }
    }

    private mutating func join(transport: String) -> [Effect] {
        joinings += 1
        isJoined = true
        isLossSilent = false
        isRejoining = false
        isRoomStateKnown = false
        return [
            .report(.joined(url: url, transport: transport)),
            .startDeadline(.roomState, joining: joinings, after: roomStateTimeout),
        ]
            + (serverDisconnects > 0
                ? [.startDeadline(.stability, joining: joinings, after: Self.stableTime)] : [])
    }

    private mutating func receive(_ name: String, _ arguments: [JSON]) -> [Effect] {
        // The message is addressed to another peer in the room.
        if let addressee = arguments.first?["to"]?.stringValue, addressee != username { return [] }
        guard let event = wrapping.read(name, arguments) else { return [.ignore(event: name)] }
        if wrapping.isDouble(event, wasWrapped: name == "answer") { return [] }
        if case .roomState = event {
            isRoomStateKnown = true
            wrapping.isRoomStateSent = true
        }
        // The change of wrapping comes first, so that it already applies to replies to the event.
        return wrappingChange() + [.report(event)]
    }

    private mutating func wrappingChange() -> [Effect] { wrapping.change().map { [.wrap($0)] } ?? [] }

    // A peer that requested an acknowledgement learns that its event has arrived.
    private func acknowledgement(_ ack: SocketAck?) -> [Effect] { ack.map { [.acknowledge($0)] } ?? [] }

    private mutating func miss(_ failure: SocketFailure, retryIn wait: Duration) -> [Effect] {
        if failure.isSizeRefusal { return fail(SignalingFailure(failure, url: url)) }
        guard joinings == 0 else {
            if isRejoining { isLossSilent = failure.isSilent }
            return failure.isSilent && !isRejoining ? [] : breakSilence(failure.description, wait)
        }
        let isFirst = lastFailure == nil
        lastFailure = failure
        if isOverdue || failsAtOnce || failure.isFinal { return fail(SignalingFailure(failure, url: url)) }
        return isFirst ? [.tellMiss(failure.description)] : []
    }

    /// Handles a refusal by a server that is shutting down and states when to reconnect.
    private mutating func wait(for seconds: JSON?) -> [Effect] {
        isServerShuttingDown = true
        let seconds = min(max(seconds?.intValue ?? 0, 1), Self.longestRetryDelay)
        return breakSilence("the server is shutting down", .seconds(seconds)) + [
            .startDeadline(.reconnection, joining: joinings, after: .seconds(seconds))
        ]
    }

    /// Reports the socket as lost after a deliberate rejoin has failed, or when a server responds after a
    /// silent loss.
    ///
    /// Such a response shows that the network works again, so the loss is no longer reported as silent.
    private mutating func breakSilence(_ reason: String, _ wait: Duration) -> [Effect] {
        guard isLossSilent || isRejoining else { return [] }
        let isSilent = isRejoining && isLossSilent
        (isLossSilent, isRejoining) = (isSilent, false)
        return [.report(.disconnected(reason: reason, retryIn: wait.inSeconds, isSilent: isSilent))]
    }

    private mutating func lose(
        _ reason: DisconnectReason,
        _ failure: SocketFailure?,
        retryIn wait: Duration?
    ) -> [Effect] {
        isJoined = false
        switch (reason, failure) {
        case (.parseError, _), (_, .messageTooLarge):
            return fail(.badEvent(failure.map { "\($0)" } ?? reason.rawValue))
        case (_, let failure?) where failure.isSizeRefusal:
            return fail(SignalingFailure(failure, url: url))
        case (.clientDisconnect, _):
            isRejoining = true
            return [.report(.rejoining)]
        case (.serverDisconnect, _):
            // Official Socket.IO clients leave reconnecting after a server disconnect to the application.
            let delay = Self.reconnectionDelays[min(serverDisconnects, Self.reconnectionDelays.count - 1)]
            serverDisconnects += 1
            return reportDisconnected(reason, retryIn: delay) + [
                .startDeadline(.reconnection, joining: joinings, after: delay)
            ]
        case (.pingTimeout, _), (.transportClose, _), (.transportError, _):
            isLossSilent = failure?.isSilent ?? false
            return reportDisconnected(reason, retryIn: wait)
        }
    }

    private func reportDisconnected(_ reason: DisconnectReason, retryIn wait: Duration?) -> [Effect] {
        [
            .report(
                .disconnected(
                    reason: reason.rawValue,
                    retryIn: wait?.inSeconds,
                    isSilent: isLossSilent
                )
            )
        ]
    }

    private mutating func reach(_ deadline: Deadline) -> [Effect] {
        switch deadline {
        case .server:
            guard let lastFailure else {
                if isServerShuttingDown { return fail(.refused("the server is shutting down")) }
                // The first attempt has the same limit, and is about to fail with a better reason.
                isOverdue = true
                return []
            }
            return fail(SignalingFailure(lastFailure, url: url))
        case .roomState:
            guard isJoined && !isRoomStateKnown else { return [] }
            wrapping.isRoomStateSent = false
            return [.report(.roomSilent)] + wrappingChange()
        case .stability:
            if isJoined { serverDisconnects = 0 }
            return []
        case .reconnection: return isJoined ? [] : [.connect]
        }
    }

    /// Fails because a message is too large for the server and cannot be made smaller.
    private mutating func refuse(_ name: String, _ bytes: Int, _ limit: Int) -> [Effect] {
        let detail = "the server accepts messages of at most \(limit) bytes, and our \(name) has \(bytes)"
        return fail(.tooLarge(detail))
    }

    private mutating func fail(_ failure: SignalingFailure) -> [Effect] {
        isOver = true
        return [.report(.failed(failure))]
    }
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }
}
