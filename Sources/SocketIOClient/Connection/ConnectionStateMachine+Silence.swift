internal import SocketIO

/// What to do where nothing is heard, and where the network of this machine changes.
extension ConnectionStateMachine {
    /// How long a server may take to give a sign of life.
    static let signLimit: Duration = .seconds(2)
    /// How long a host may take to take a connection while the network's return is looked for, and how
    /// soon the next attempt follows: a blackout over, the room must be back at once.
    static let hurriedLimit: Duration = .seconds(2)
    static let hurriedWait: Duration = .milliseconds(500)
    /// After that, whatever keeps us away takes its time, and we take ours.
    static let longestHurry: Duration = .seconds(60)
    /// A connection that breaks sooner may break again as soon: neither is haste made twice in that time.
    static let steadyTime: Duration = .seconds(2)
    /// Changes of the network may come in crowds.
    private static let betweenChances: Duration = .milliseconds(250)

    /// When the attempt has taken too long.
    var connectDue: Duration { attemptStart + connectLimit }

    /// The network carries: what the attempt takes from here on is the server's affair.
    mutating func reach() -> [ConnectionEffect] {
        connectLimit = connectTimeout
        return []
    }

    /// Asks the server for a sign of life; anything heard from it is one.
    mutating func doubt() -> [ConnectionEffect] {
        guard phase == .connected, isOverWebSocket, !isSignAwaited else { return [] }
        isSignAwaited = true
        signDue = now + Self.signLimit
        return [.ping, .startDeadline(.signOfLife, life: life, after: Self.signLimit)]
    }

    /// Polling has no message that a server must answer.
    private var isOverWebSocket: Bool { upgrade == .done || transport == .websocket }

    mutating func missSign() -> [ConnectionEffect] {
        // An earlier doubt, which was answered, may have left its deadline.
        guard isSignAwaited, now >= signDue else { return [] }
        return end(.pingTimeout, .silent(Self.signLimit))
    }

    /// Goes on from the address that this machine has now.
    mutating func changeNetwork(lostAddress: String?) -> [ConnectionEffect] {
        switch (phase, lostAddress) {
        case (.waiting, _):
            isLastFailureSilent && now - attemptStart >= Self.betweenChances ? open() : []
        case (.connected, let address?): end(.transportClose, .addressLost(address))
        case (.connected, nil): doubt()
        case (.opening, _?), (.handshaking, _?), (.joining, _?): [.abandon] + beginAttempt()
        case (.opening, nil), (.handshaking, nil), (.joining, nil), (.idle, _), (.leaving, _): []
        }
    }

    /// Whether the next attempt may follow at once.
    func isWorthHurry(_ failure: SocketFailure) -> Bool {
        if case .addressLost = failure { return true }
        return failure.isSilent && hurryStart.map { now - $0 >= Self.steadyTime } ?? true
    }

    /// The connection is lost, and nobody said so: the next attempt follows at once.
    mutating func loseSilently(_ reason: DisconnectReason, _ failure: SocketFailure) -> [ConnectionEffect] {
        isInHurry = true
        hurryStart = now
        return [
            .abandon, .failAcks(except: waitingAcks), .report(.disconnected(reason, failure, retryIn: .zero)),
        ] + open()
    }
}
