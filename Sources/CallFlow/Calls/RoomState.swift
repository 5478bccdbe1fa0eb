package import CallCore

/// What the Room screen shows.
package struct RoomState: Equatable, Sendable {
    package enum Connection: Hashable, Sendable {
        case disconnected(RoomLoss?)
        case connecting
        case connected

        /// As scripts are told it.
        var name: String {
            switch self {
            case .disconnected: "disconnected"
            case .connecting: "connecting"
            case .connected: "connected"
            }
        }
    }

    /// What the button that begins a call does.
    package enum Start: Hashable, Sendable {
        case unavailable
        case call
        /// The server does not tell who is there: the offer finds out.
        case callAnyway
        /// The callee's: waits for the offer, and answers it at once.
        case awaitOffer
    }

    /// What brought us back to the room.
    package enum News: Hashable, Sendable {
        case callEnded(CallSummary)
        /// While we waited for the offer.
        case peerLeft(Participant)
        /// Somebody called, by that name where it is known, and nobody here answered.
        case callMissed(String?)
    }

    /// Somebody calls, and a person is asked.
    package struct Ring: Hashable, Sendable {
        /// The caller's name, where it is known.
        package var peer: String?

        package init(peer: String?) {
            self.peer = peer
        }
    }

    package var identity: Identity
    package var role: Role
    /// Whether connection, role and name are the user's to change; on a command line the flags have decided.
    package var isManaged = false
    package var connection = Connection.connecting
    /// The loss that the present attempt to connect follows; nil once that has succeeded.
    package var earlierLoss: RoomLoss?
    package var peer: Participant?
    /// Somebody of our own role, who cannot be called.
    package var rival: Participant?
    /// Whether the server tells newcomers nothing, so that somebody may be there.
    package var isUntold = false
    /// Whether somebody may be there whom our server does not reach at present.
    package var isPartial = false
    /// Whether nobody at another computer can come.
    package var isLocal = false
    package var start = Start.unavailable
    package var ring: Ring?
    package var news: News?
    package var controls: CallControls
    /// Where it stands, for people.
    package var sentence = "connecting to the signaling server"

    package init(identity: Identity, role: Role, controls: CallControls = CallControls()) {
        self.identity = identity
        self.role = role
        self.controls = controls
    }

    package var isConnected: Bool { connection == .connected }

    /// Why it is not.
    package var loss: RoomLoss? {
        if case .disconnected(let loss) = connection { loss } else { nil }
    }

    /// Whether the role is a switch, and not a text.
    package var canChangeRole: Bool {
        if case .disconnected = connection { isManaged } else { false }
    }

    package var canStartCall: Bool { start != .unavailable }

    /// Whether the news is a call that nobody here answered, which stays until there is other news.
    var isCallMissed: Bool {
        if case .callMissed? = news { true } else { false }
    }
}

/// Why the room is not joined any more, or could not be.
package struct RoomLoss: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The socket's own words for it.
        case disconnected(String)
        case failed(Diagnosis)
    }

    package var reason: Reason
    /// In how many seconds it is tried again; nil where that is the user's to say.
    package var retryIn: Int?

    package init(reason: Reason, retryIn: Int? = nil) {
        self.reason = reason
        self.retryIn = retryIn
    }

    /// For people.
    package var sentence: String {
        switch reason {
        case .disconnected(let reason): "connection to the signaling server lost (\(reason))"
        case .failed(let diagnosis): diagnosis.message
        }
    }
}
