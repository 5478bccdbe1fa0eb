internal import SocketIO

/// The handling of silent servers and of changes of this machine's network.
extension ConnectionStateMachine {
    /// The time in which a server must answer a liveness check.
    private static let signLimit: Duration = .seconds(2)
    /// The limit of opening a connection during a hurried reconnection, which follows a silent loss.
    ///
    /// Together with `hurriedWait`, the wait between its attempts, it brings the user back as soon as a
    /// blackout is over.
    static let hurriedLimit: Duration = .seconds(2)
    static let hurriedWait: Duration = .milliseconds(500)
    /// The longest hurried reconnection, after which the backoff applies.
    static let longestHurry: Duration = .seconds(60)
    /// The minimum age of a stable connection, and the minimum time between two hurried reconnections.
    static let steadyTime: Duration = .seconds(2)
    /// The minimum time between attempts caused by network changes, which come in bursts.
    private static let betweenChances: Duration = .milliseconds(250)

    /// The time at which the attempt times out.
    var connectDue: Duration { attemptStart + connectLimit }

    /// Extends the attempt's limit after a host has accepted the connection: the network works.
    mutating func reach() -> [ConnectionEffect] {
        connectLimit = connectTimeout
        return []
    }

    /// Checks that the server still responds; any message from it counts as an answer.
    mutating func doubt() -> [ConnectionEffect] {
        guard phase == .connected, isOverWebSocket, !isSignAwaited else { return [] }
        isSignAwaited = true
        signDue = now + Self.signLimit
        return [.ping, .startDeadline(.signOfLife, life: life, after: Self.signLimit)]
    }

    /// Whether the session runs over WebSocket; over polling a server need not answer any message.
    private var isOverWebSocket: Bool { upgrade == .done || transport == .websocket }

    mutating func missSign() -> [ConnectionEffect] {
        // An earlier liveness check that was answered may have left its deadline.
        guard isSignAwaited, now >= signDue else { return [] }
        return end(.pingTimeout, .silent(Self.signLimit))
    }

    /// Reacts to a change of this machine's network: reconnects, or checks that the server still responds.
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

    /// Decides whether the next attempt may start at once.
    func isWorthHurry(_ failure: SocketFailure) -> Bool {
        if case .addressLost = failure { return true }
        return failure.isSilent && hurryStart.map { now - $0 >= Self.steadyTime } ?? true
    }

    /// Handles a loss that the server did not announce: the next attempt starts at once.
    mutating func loseSilently(_ reason: DisconnectReason, _ failure: SocketFailure) -> [ConnectionEffect] {
        isInHurry = true
        hurryStart = now
        return [
            .abandon, .failAcks(except: waitingAcks), .report(.disconnected(reason, failure, retryIn: .zero)),
        ] + open()
    }
}
