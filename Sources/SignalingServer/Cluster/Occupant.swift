internal import CallCore

/// Somebody in a room, on this server or on another.
protocol Occupant {
    var identity: Identity { get }
    var role: Role { get }
}

extension Member: Occupant {}
extension RemoteMember: Occupant {}
