package import CallCore

/// The state of the Room screen.
package struct RoomState: Equatable, Sendable {
    package enum Connection: Hashable, Sendable {
        case disconnected(RoomLoss?)
        case connecting
        case connected

        /// The name of the state for scripts.
        var name: String {
            switch self {
            case .disconnected: "disconnected"
            case .connecting: "connecting"
            case .connected: "connected"
            }
        }
    }

    /// The action of the button that begins a call.
    package enum Start: Hashable, Sendable {
        case unavailable
        case call
        /// A call without a known peer, because the server does not report the participants.
        case callAnyway
        /// The callee waits for the caller's offer, which is then answered without asking the user.
        case awaitOffer
    }

    /// The event after which the Room screen is shown again.
    package enum ReturnReason: Hashable, Sendable {
        case callEnded(CallSummary)
        /// The peer left while we waited for its offer.
        case peerLeft(Participant)
        /// A missed call, with the caller's name if it is known.
        case callMissed(String?)
    }

    /// An incoming call that the user is asked to answer.
    package struct Ring: Hashable, Sendable {
        /// The caller's name, if it is known.
        package var peer: String?

        package init(peer: String?) {
            self.peer = peer
        }
    }

    package var identity: Identity
    package var role: Role
    /// Whether the user may connect, disconnect, switch the role and log out; the flags of a command line fix all of this.
    package var isManaged = false
    package var connection = Connection.connecting
    /// The loss that preceded the current automatic attempt to connect.
    ///
    /// It is nil if the user started the attempt, and once an attempt has succeeded.
    package var earlierLoss: RoomLoss?
    package var peer: Participant?
    /// A participant of our own role, who cannot be called.
    package var rival: Participant?
    /// Whether a peer may be present that the server, which sends no participant list, has not reported.
    package var isPresenceUnknown = false
    /// Whether a peer may be connected to another server that ours cannot reach at present.
    package var isPartial = false
    /// Whether the room can be joined only from this computer.
    package var isLocal = false
    package var start = Start.unavailable
    /// Whether the next call is answered without asking the user.
    package var isArmed = false
    package var ring: Ring?
    package var returnReason: ReturnReason?
    package var controls: CallControls
    /// The state in one sentence for people.
    package var sentence = "connecting to the signaling server"

    package init(identity: Identity, role: Role, controls: CallControls = CallControls()) {
        self.identity = identity
        self.role = role
        self.controls = controls
    }

    package var isConnected: Bool { connection == .connected }

    /// The missed call, which is shown until another reason replaces it, even if the room is lost.
    package var missedCall: ReturnReason? {
        if case .callMissed? = returnReason { returnReason } else { nil }
    }

    /// The reason why the room was lost or could not be joined; nil in any other state of the connection.
    package var loss: RoomLoss? {
        if case .disconnected(let loss) = connection { loss } else { nil }
    }

    /// Whether the user can change the role now, so that it is shown as a switch rather than as text.
    package var canChangeRole: Bool {
        if case .disconnected = connection { isManaged } else { false }
    }

    package var canStartCall: Bool { start != .unavailable }

    /// Whether the user can choose now whether the next call is answered without asking.
    package var canArm: Bool { isManaged && isConnected && role == .callee && rival == nil }

    /// Whether a command has an effect in this state.
    func allows(_ command: CallsCommand) -> Bool {
        switch command {
        case .setRole: return canChangeRole
        case .switchRole: return isManaged && ring == nil
        case .connect:
            if case .disconnected = connection { return isManaged }
            return false
        case .disconnect:
            if case .disconnected(let loss) = connection, loss?.retryIn == nil { return false }
            return isManaged
        case .logout: return isManaged
        case .call(.startCall): return canStartCall
        case .call(.accept), .call(.decline): return ring != nil
        case .setMuted, .setCameraOff, .changeVolume, .quit: return true
        case .call(.hangUp), .call(.leave), .proceed, .visit, .startRecording, .stopRecording, .takeSnapshot,
            .listDevices, .select, .status:
            return false
        }
    }
}

/// The reason why the room was lost or could not be joined.
package struct RoomLoss: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The socket was lost; the value is the reason that it gave, or `during the call`.
        case disconnected(String)
        case failed(Diagnosis)
    }

    package var reason: Reason
    /// The seconds until the next automatic attempt; nil if there is none.
    package var retryIn: Int?

    package init(reason: Reason, retryIn: Int? = nil) {
        self.reason = reason
        self.retryIn = retryIn
    }

    /// The reason in one sentence for people.
    package var sentence: String {
        switch reason {
        case .disconnected(let reason): "connection to the signaling server lost (\(reason))"
        case .failed(let diagnosis): diagnosis.message
        }
    }
}
