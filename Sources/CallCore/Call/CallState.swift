internal import Basics

/// The state of a call, as shown by `call.state` and the status line.
package enum CallState: Hashable, Sendable {
    /// The retry after a failed attempt.
    package struct Retry: Hashable, Sendable {
        /// The number of the next attempt.
        package var attempt: Int
        /// The delay before the next attempt; nil if it waits for the peer instead.
        package var delay: Duration?
        /// The human-readable reason why the last attempt failed.
        package var reason: String
    }

    case idle
    /// The peer is known, and an offer is about to be made.
    case calling
    /// An offer is about to be sent into a room whose server does not report the participants.
    case callingBlindly
    case offering
    case awaitingAnswer
    case ringing
    case awaitingOffer
    case answering
    case connecting
    case connected
    case retrying(Retry)
    case ended(CallEnd)

    /// Creates the state of a running attempt; nil if it has not begun or has ended.
    init?(_ state: AttemptStateMachine.State) {
        switch state {
        case .idle, .ended: return nil
        case .offering: self = .offering
        case .awaitingAnswer: self = .awaitingAnswer
        case .ringing: self = .ringing
        case .answering: self = .answering
        case .connecting: self = .connecting
        case .connected: self = .connected
        }
    }

    /// The name of the state in the event `call.state`.
    package var name: String {
        switch self {
        case .idle: "idle"
        case .calling, .callingBlindly: "calling"
        case .offering: "offering"
        case .awaitingAnswer: "awaiting-answer"
        case .ringing: "ringing"
        case .awaitingOffer: "awaiting-offer"
        case .answering: "answering"
        case .connecting: "connecting"
        case .connected: "connected"
        case .retrying: "retrying"
        case .ended: "ended"
        }
    }

    /// A sentence that describes the state, for display.
    package var sentence: String {
        switch self {
        case .idle: "in the room, waiting for a peer"
        case .calling: "peer found, calling"
        case .callingBlindly: "this server does not report who is present, calling anyway"
        case .offering: "creating the offer"
        case .awaitingAnswer: "offer sent, waiting for the answer"
        case .ringing: "ringing, waiting for a person to answer"
        case .awaitingOffer: "waiting for the offer"
        case .answering: "offer received, creating the answer"
        case .connecting: "descriptions exchanged, connecting"
        case .connected: "connected"
        case .retrying(let retry):
            if let delay = retry.delay {
                "\(retry.reason), trying again in \(DurationText(delay))"
            } else {
                "\(retry.reason), waiting for the peer to try again"
            }
        case .ended: "the call is over"
        }
    }
}
