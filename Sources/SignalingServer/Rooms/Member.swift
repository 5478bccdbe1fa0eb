internal import CallCore
internal import NIOCore
internal import SocketIO

/// A member of a room on this server.
final class Member {
    private(set) var request: JoinRequest
    /// The id under which other servers know the member; it stays the same when the client returns.
    let sid: String
    /// The member's connection; nil if it was lost and the client may still return.
    var socket: SocketConnection?
    /// The time when the connection was admitted, in milliseconds since 1970 by Redis' clock; 0 without
    /// Redis.
    var since: Int
    /// The time when the connection was admitted, by this computer's monotonic clock.
    private(set) var arrival = NIODeadline.now()
    /// The number of lost connections, by which a grace timer detects that it belongs to an earlier loss.
    var losses = 0
    /// The latest signals of the member's call, if the server stores them.
    var held: HeldSignals
    /// Whether a timer is set that drops the stored signals when they expire.
    var isForgetting = false

    init(
        _ request: JoinRequest,
        socket: SocketConnection,
        sid: String,
        since: Int,
        signals: HeldSignals.Budget
    ) {
        held = HeldSignals(signals)
        self.request = request
        self.sid = sid
        self.since = since
        self.socket = socket
    }

    var identity: Identity { request.identity }
    var role: Role { request.role }
    /// The hash of the client's secret key; nil if the client has none.
    var keyHash: String? {
        request.key.map { ClusterKeys.hash($0, room: identity.room, role: role) }
    }

    /// Determines whether a join request comes from this member's client, which is returning.
    ///
    /// The roles must be equal, and the keys, if there are any. Without keys, the member's connection must be
    /// lost, and the names, rooms and token owners must be equal.
    func isReturning(with newer: JoinRequest) -> Bool {
        guard role == newer.role, request.key == newer.key else { return false }
        return newer.key != nil
            || socket == nil && identity == newer.identity && request.subject == newer.subject
    }

    /// Determines whether this may be an earlier connection of the requesting client, whose loss is not
    /// detected yet.
    ///
    /// A client with a key needs no such check: its key identifies it when it returns.
    func mayBeEarlier(than newer: JoinRequest) -> Bool {
        request.key == nil && role == newer.role && identity == newer.identity
            && request.subject == newer.subject
    }

    /// Continues the membership with a new connection.
    func resume(with newer: JoinRequest, socket: SocketConnection, since: Int) {
        request = newer
        self.socket = socket
        (self.since, arrival) = (since, .now())
    }
}
