internal import CallCore
internal import NIOCore
internal import SocketIO

/// Somebody in a room.
final class Member {
    private(set) var request: JoinRequest
    /// Under which other servers know it; stays when the client comes back.
    let sid: String
    /// Nil while the connection is lost and may come back.
    var socket: SocketConnection?
    /// When its connection was let in, in milliseconds since 1970 by the clock of Redis; 0 where that was not asked.
    var since: Int
    /// The same by this machine's clock, which never jumps.
    private(set) var arrival = NIODeadline.now()
    /// How often the connection was lost: a timer that was started for an earlier loss does nothing.
    var losses = 0
    /// What it said last of its call, where the server keeps that.
    var held = HeldSignals()
    /// Whether a timer is set to forget what is held.
    var isForgetting = false

    init(_ request: JoinRequest, socket: SocketConnection, sid: String, since: Int) {
        self.request = request
        self.sid = sid
        self.since = since
        self.socket = socket
    }

    var identity: Identity { request.identity }
    var role: Role { request.role }
    /// What its secret key hashes to; nil where it has none.
    var keyHash: String? {
        request.key.map { ClusterKeys.hash($0, room: identity.room, role: role) }
    }

    /// Whether it is this member that comes back with `newer`.
    ///
    /// The same key proves it; without keys, it is taken so where the connection is lost and the
    /// names agree.
    func isReturning(with newer: JoinRequest) -> Bool {
        guard role == newer.role, request.key == newer.key else { return false }
        return newer.key != nil
            || socket == nil && identity == newer.identity && request.subject == newer.subject
    }

    /// Whether it may be an earlier connection of who asks with `newer`, which is lost and not yet found to be.
    ///
    /// A client that has a key need not be asked: by that it is known when it comes back.
    func mayBeEarlier(than newer: JoinRequest) -> Bool {
        request.key == nil && role == newer.role && identity == newer.identity
            && request.subject == newer.subject
    }

    /// Goes on under a new connection.
    func resume(with newer: JoinRequest, socket: SocketConnection, since: Int) {
        request = newer
        self.socket = socket
        (self.since, arrival) = (since, .now())
    }
}
