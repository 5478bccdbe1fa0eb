internal import CallCore

/// A member of a room, on this server or another.
protocol Occupant {
    var identity: Identity { get }
    var role: Role { get }
}

extension Member: Occupant {}
extension RemoteMember: Occupant {}
