package import Basics
package import CallCore

/// A past call, as listed in the Library.
package struct PastCall: Hashable, Sendable {
    package enum Result: Hashable, Sendable {
        /// Media flowed for this duration, which is nil if the process ended before the call.
        case held(Duration?)
        /// The user did not answer.
        case missed
        /// The user or the peer declined.
        case declined
        /// The peer did not answer, or left before it did.
        case unanswered
        /// Media never flowed, although the call was answered.
        case failed
    }

    /// The maximum number of stored calls; the oldest ones are deleted first.
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

    /// Returns the calls with this one added, the newest first.
    ///
    /// A call that began in the same room at the same time is replaced.
    package func added(to calls: [PastCall]) -> [PastCall] {
        let others = calls.filter { $0.began != began || $0.room != room }
        return Array(([self] + others).sorted { $0.began > $1.began }.prefix(Self.maximum))
    }
}
