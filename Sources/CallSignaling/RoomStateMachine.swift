internal import CallCore
internal import SocketIO
internal import SocketIOClient

/// What happens to the room's socket means for the room: no clock, no socket.
struct RoomStateMachine {
    enum Input: Sendable {
        case socket(SocketEvent)
        /// A deadline of that joining; a stale one is ignored.
        case deadline(Deadline, joining: Int)
        /// A description could not be sent as it is, because the server takes no message of its size.
        case oversize(OutgoingSignals.Oversize)
        /// More events wait to be read than are allowed.
        case flooded
    }

    enum Deadline: Hashable, Sendable {
        /// The first connection must have been made.
        case server
        /// The server must have told who is in the room.
        case roomState
        /// The wait before connecting again to a server that sent us away is over.
        case reconnection
        /// The room has been joined for so long that the server does not send us away each time.
        case stability
    }

    enum Effect: Sendable {
        case report(RoomEvent)
        case startDeadline(Deadline, joining: Int, after: Duration)
        case connect
        /// Whether what the server does not pass on is sent inside an `answer` as well; see `SignalMessage.wrapped`.
        case wrap(Bool)
        case acknowledge(SocketAck)
        /// An event that this protocol does not know, or with a payload that makes no sense.
        case ignore(event: String)
    }

    /// How long to stay away from a server that sends us away, each time in a row; the last one stays.
    static let reconnectionDelays: [Duration] = [2, 4, 8, 16, 30].map { .seconds($0) }
    /// After which the next time is the first again.
    static let stableTime: Duration = .seconds(30)

    /// In seconds; a server that asks for more is looked for earlier.
    private static let longestRetryDelay = 60

    private(set) var isOver = false
    /// As it may be shown.
    private let url: String
    private let username: String
    private let serverTimeout: Duration
    private let roomStateTimeout: Duration

    /// How many times the room has been joined.
    private var joinings = 0
    private var isJoined = false
    private var isRoomStateKnown = false
    /// Whether the first connection is late, but the attempt in flight is about to say why.
    private var isOverdue = false
    /// Whether the room was lost without a word, and nobody has answered since.
    private var isLossSilent = false
    /// Whether we have left the room to join it again.
    private var isRejoining = false
    /// How often in a row the server has sent us away.
    private var dismissals = 0
    private var wrapping = Wrapping()
    private var isReductionTold = false
    private var lastFailure: SocketFailure?
    /// Whether the server was about to go when it was asked first.
    private var isTurnedAway = false

    init(_ configuration: SignalingConfiguration, username: String) {
        url = configuration.shownURL
        self.username = username
        serverTimeout = configuration.serverTimeout
        roomStateTimeout = configuration.roomStateTimeout
    }

    mutating func start() -> [Effect] { [.startDeadline(.server, joining: 0, after: serverTimeout)] }

    mutating func handle(_ input: Input) -> [Effect] {
        guard !isOver else { return [] }
        switch input {
        case .socket(.connecting), .socket(.upgraded): return []
        case .socket(.connected(_, let transport)): return join(transport: transport)
        case .socket(.event(let name, let arguments, let ack)):
            return hear(name, arguments) + acknowledgement(ack)
        case .socket(.connectFailed(let failure, let wait)): return miss(failure, retryIn: wait)
        case .socket(.disconnected(let reason, let failure, let wait)):
            return lose(reason, failure, retryIn: wait)
        case .socket(.refused("server_draining", let data)): return wait(for: data?["retryAfter"])
        case .socket(.refused(let message, let data)):
            return fail(SignalingFailure(refusal: message, data: data))
        case .socket(.undeliverable(let name, let bytes, let limit)): return refuse(name, bytes, limit)
        case .oversize(let size):
            guard size.isReduced else { return refuse(size.name, size.bytes, size.limit) }
            defer { isReductionTold = true }
            return isReductionTold
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
            + (dismissals > 0
                ? [.startDeadline(.stability, joining: joinings, after: Self.stableTime)] : [])
    }

    private mutating func hear(_ name: String, _ arguments: [JSON]) -> [Effect] {
        // What a peer says to another one in the room.
        if let addressee = arguments.first?["to"]?.stringValue, addressee != username { return [] }
        guard let event = wrapping.read(name, arguments) else { return [.ignore(event: name)] }
        if wrapping.isDouble(event, wasWrapped: name == "answer") { return [] }
        if case .roomState = event {
            isRoomStateKnown = true
            wrapping.isServerTelling = true
        }
        // First, so that what follows from the event goes out in the way that it asks for.
        return wrappingChange() + [.report(event)]
    }

    private mutating func wrappingChange() -> [Effect] { wrapping.change().map { [.wrap($0)] } ?? [] }

    // A peer that asked for it learns that its event has arrived.
    private func acknowledgement(_ ack: SocketAck?) -> [Effect] { ack.map { [.acknowledge($0)] } ?? [] }

    private mutating func miss(_ failure: SocketFailure, retryIn wait: Duration) -> [Effect] {
        if failure.isSizeRefusal { return fail(SignalingFailure(failure, url: url)) }
        guard joinings == 0 else {
            if isRejoining { isLossSilent = failure.isSilent }
            return failure.isSilent && !isRejoining ? [] : breakSilence(failure.description, wait)
        }
        lastFailure = failure
        return isOverdue || failure.isFinal ? fail(SignalingFailure(failure, url: url)) : []
    }

    /// The server is about to go, and says when to look for the one after it.
    private mutating func wait(for seconds: JSON?) -> [Effect] {
        isTurnedAway = true
        let seconds = min(max(seconds?.intValue ?? 0, 1), Self.longestRetryDelay)
        return breakSilence("the server is going down", .seconds(seconds)) + [
            .startDeadline(.reconnection, joining: joinings, after: .seconds(seconds))
        ]
    }

    /// Tells of a loss that is proved: somebody answered, so that the network is back, or the room that we left on
    /// purpose cannot be joined again.
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
            // The official clients leave it to the application to come back.
            let delay = Self.reconnectionDelays[min(dismissals, Self.reconnectionDelays.count - 1)]
            dismissals += 1
            return away(reason, retryIn: delay) + [
                .startDeadline(.reconnection, joining: joinings, after: delay)
            ]
        case (.pingTimeout, _), (.transportClose, _), (.transportError, _):
            isLossSilent = failure?.isSilent ?? false
            return away(reason, retryIn: wait)
        }
    }

    private func away(_ reason: DisconnectReason, retryIn wait: Duration?) -> [Effect] {
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
                if isTurnedAway { return fail(.refused("the server is going down")) }
                // The first attempt has the same limit, and is about to fail with a better reason.
                isOverdue = true
                return []
            }
            return fail(SignalingFailure(lastFailure, url: url))
        case .roomState:
            guard isJoined && !isRoomStateKnown else { return [] }
            wrapping.isServerTelling = false
            return [.report(.roomSilent)] + wrappingChange()
        case .stability:
            if isJoined { dismissals = 0 }
            return []
        case .reconnection: return isJoined ? [] : [.connect]
        }
    }

    /// What is too large for the server, and cannot be made smaller.
    private mutating func refuse(_ name: String, _ bytes: Int, _ limit: Int) -> [Effect] {
        let detail = "the server takes messages of \(limit) bytes at most, and our \(name) has \(bytes)"
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
