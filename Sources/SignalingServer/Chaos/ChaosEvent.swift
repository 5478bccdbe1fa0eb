/// The kinds of events that fault injection distinguishes.
enum ChaosEvent: Int, CaseIterable, Sendable {
    case offer, answer, candidate, ringing, hangup, other
    case userJoined, userLeft, roomState

    /// The events that clients send.
    static let relayed: [ChaosEvent] = [.offer, .answer, .candidate, .ringing, .hangup, .other]
    /// The events by which the server reports the members of a room.
    static let presence: [ChaosEvent] = [.userJoined, .userLeft, .roomState]

    init(_ event: RelayEvent) {
        self =
            switch event {
            case .offer: .offer
            case .answer: .answer
            case .candidate: .candidate
            case .ringing: .ringing
            case .hangup: .hangup
            case .other: .other
            }
    }

    /// The event's name on the wire; `other` for client events with any other name.
    var label: String {
        switch self {
        case .userJoined: "room_user_joined"
        case .userLeft: "room_user_left"
        case .roomState: "room_state"
        case .offer, .answer, .candidate, .ringing, .hangup, .other: "\(self)"
        }
    }
}
