package import Basics
package import CallCore

/// A call of the past, as the Library lists it.
package struct PastCall: Hashable, Sendable {
    package enum Result: Hashable, Sendable {
        /// Media flowed for this time; nil if the process ended before the call.
        case held(Duration?)
        /// The user did not answer.
        case missed
        /// One of both declined.
        case declined
        /// The peer did not answer, or left before it did.
        case unanswered
        /// Media never flowed, although the call was answered.
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
