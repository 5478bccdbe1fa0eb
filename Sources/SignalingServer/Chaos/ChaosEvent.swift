/// What a server that misbehaves tells apart of all that it passes on or tells by itself.
enum ChaosEvent: Int, CaseIterable, Sendable {
    case offer, answer, candidate, ringing, hangup, other
    case userJoined, userLeft, roomState

    /// What clients say.
    static let relayed: [ChaosEvent] = [.offer, .answer, .candidate, .ringing, .hangup, .other]
    /// What the server says of who is there.
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

    /// As it is called on the wire, where it has one name.
    var label: String {
        switch self {
        case .userJoined: "room_user_joined"
        case .userLeft: "room_user_left"
        case .roomState: "room_state"
        case .offer, .answer, .candidate, .ringing, .hangup, .other: "\(self)"
        }
    }
}
