internal import AppFlow
internal import CallCore
internal import WindowKit

/// The state of the peer, as described on the room screen.
enum PeerLine: Hashable, Sendable {
    case offline, connecting, nobody(room: String), unreached, presenceUnknown(canCall: Bool)
    case here(name: String, isCalled: Bool)
    /// A peer that was present when we lost the connection to the server.
    case unknown(name: String)

    init(_ state: RoomState) {
        if let peer = state.peer {
            let isCalled = state.role == .caller
            self =
                state.isConnected
                ? .here(name: peer.username, isCalled: isCalled) : .unknown(name: peer.username)
        } else if state.connection == .connecting {
            self = .connecting
        } else if !state.isConnected {
            self = .offline
        } else if state.isPresenceUnknown {
            self = .presenceUnknown(canCall: state.role == .caller)
        } else {
            self = state.isPartial ? .unreached : .nobody(room: "\(state.identity.room)")
        }
    }

    /// Whether a peer is known to be present now.
    var isThere: Bool {
        switch self {
        case .here: true
        case .offline, .connecting, .nobody, .unreached, .presenceUnknown, .unknown: false
        }
    }

    func texts(_ strings: Strings) -> (title: String, note: String?) {
        switch self {
        case .offline: (strings["room.peer.offline"], nil)
        case .connecting: (strings["room.peer.connecting"], nil)
        case .nobody(let room):
            (strings["room.peer.none"], strings("room.peer.none.hint", ["room": room]))
        case .unreached: (strings["room.peer.none"], strings["room.peer.unreached.hint"])
        case .presenceUnknown(let canCall):
            (
                strings["room.peer.presence-unknown"],
                strings[canCall ? "room.peer.presence-unknown.hint" : "room.peer.presence-unknown.callee"]
            )
        case .here(let name, let isCalled):
            (name, strings[isCalled ? "room.peer.ready" : "room.peer.calls"])
        case .unknown(let name): (name, strings["room.peer.unknown"])
        }
    }
}
