internal import CallCore
internal import CallFlow

/// What the Room screen says of the one who may be called.
enum PeerLine: Hashable, Sendable {
    case offline, connecting, nobody(room: String), unreached, untold
    case here(name: String, isCalled: Bool)

    init(_ state: RoomState) {
        if let peer = state.peer {
            self = .here(name: peer.username, isCalled: state.role == .caller)
        } else if state.connection == .connecting {
            self = .connecting
        } else if !state.isConnected {
            self = .offline
        } else if state.isUntold && state.role == .caller {
            self = .untold
        } else {
            self = state.isPartial ? .unreached : .nobody(room: "\(state.identity.room)")
        }
    }

    func texts(_ strings: Strings) -> (title: String, note: String?) {
        switch self {
        case .offline: (strings["room.peer.offline"], nil)
        case .connecting: (strings["room.peer.connecting"], nil)
        case .nobody(let room):
            (strings["room.peer.none"], strings("room.peer.none.hint", ["room": room]))
        case .unreached: (strings["room.peer.none"], strings["room.peer.unreached.hint"])
        case .untold: (strings["room.peer.untold"], strings["room.peer.untold.hint"])
        case .here(let name, let isCalled):
            (name, strings[isCalled ? "room.peer.ready" : "room.peer.calls"])
        }
    }
}
