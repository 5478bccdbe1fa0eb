package import Basics
package import CallCore

/// A call of the past, as the Library lists it.
package struct PastCall: Hashable, Sendable {
    package enum Result: Hashable, Sendable {
        /// Media flowed for this time.
        case held(Duration)
        /// The user did not answer.
        case missed
        /// One of both declined.
        case declined
        /// The peer did not answer, or left before it did.
        case unanswered
        /// Media never flowed for a technical reason.
        case failed
    }

    /// The maximum number of calls that are kept; the oldest ones are forgotten first.
    package static let maximum = 200

    /// The peer's name; nil if it never became known.
    package var peer: String?
    package var room: RoomID
    package var isOutgoing: Bool
    package var began: Timestamp
    package var result: Result

    package init(peer: String?, room: RoomID, isOutgoing: Bool, began: Timestamp, result: Result) {
        (self.peer, self.room, self.isOutgoing) = (peer, room, isOutgoing)
        (self.began, self.result) = (began, result)
    }

    /// Adds a call to a list, the newest first; one that began at the same time is replaced.
    package func added(to calls: [PastCall]) -> [PastCall] {
        let others = calls.filter { $0.began != began || $0.room != room }
        return Array(([self] + others).sorted { $0.began > $1.began }.prefix(Self.maximum))
    }
}

/// The record of a running call, which becomes a `PastCall`.
struct CallRecord {
    private var call: PastCall
    private var connected: ContinuousClock.Instant?

    init(peer: String?, plan: CallPlan, began: Timestamp) {
        call = PastCall(
            peer: peer,
            room: plan.identity.room,
            isOutgoing: plan.role == .caller,
            began: began,
            result: .unanswered
        )
    }

    /// Handles a report; returns the call if it is to be saved, so that it survives the end of the process.
    mutating func handle(_ report: CallReport) -> PastCall? {
        switch report {
        case .peer(let name):
            call.peer = name
            return nil
        case .mediaConnected where connected == nil:
            connected = .now
            call.result = .held(.zero)
            return call
        default: return nil
        }
    }

    /// Returns the call after its end; `isMissed` tells that the user was asked and has not answered.
    func ended(_ summary: CallSummary, isMissed: Bool) -> PastCall {
        var ended = call
        ended.peer = summary.peer ?? call.peer
        if let connected {
            ended.result = .held(connected.duration(to: .now))
        } else if isMissed {
            ended.result = .missed
        } else {
            ended.result =
                switch summary.end {
                case .declined: .declined
                case .hungUp, .peerLeft, .duration, .sourceEnded, .timedOut(.peer), .timedOut(.offer),
                    .timedOut(.answer):
                    .unanswered
                case .timedOut(.description), .timedOut(.media), .media, .signaling: .failed
                }
        }
        return ended
    }
}
