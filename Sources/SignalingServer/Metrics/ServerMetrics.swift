internal import CallCore
internal import HTTPFront
internal import NIOCore

/// The counters of a server, confined to the event loop, so that counting needs no lock.
final class ServerMetrics {
    var counts = ServerCounts()
    /// The rooms in which an offer was answered and the call has not ended.
    private var answered: Set<RoomID> = []

    func sessionOpened(_ transport: SessionTransport) {
        counts.sessions[transport] += 1
        counts.sessionsOpened[transport] += 1
    }

    func sessionClosed(_ transport: SessionTransport) { counts.sessions[transport] -= 1 }

    /// Counts a session that upgraded from polling to WebSocket.
    func sessionUpgraded() {
        counts.sessions[.polling] -= 1
        counts.sessions[.websocket] += 1
        counts.upgrades += 1
    }

    /// Counts a join; `start` is the time when the CONNECT packet was read.
    func joined(since start: NIODeadline) {
        counts.joins += 1
        counts.joinLatency.observe(nanoseconds: Self.nanoseconds(since: start))
    }

    func joinRefused(_ reason: CountedJoinRefusal) { counts.joinsRefused[reason] += 1 }

    /// Counts an event that was relayed to `recipients` clients; `start` is the time when it was read.
    func relayed(_ event: RelayEvent, bytes: Int, to recipients: Int, since start: NIODeadline) {
        guard recipients > 0 else { return }
        counts.relays[event] += recipients
        counts.relayedBytes &+= bytes &* recipients
        counts.relayLatency.observe(nanoseconds: Self.nanoseconds(since: start))
    }

    /// Counts a room's call as answered, after an answer was relayed between a caller and a callee.
    func callAnswered(in room: RoomID) {
        if answered.insert(room).inserted { counts.callsBegun += 1 }
        counts.calls = answered.count
    }

    /// Counts a room's call as ended, because it was hung up or a role has no members any more.
    func callEnded(in room: RoomID) {
        answered.remove(room)
        counts.calls = answered.count
    }

    private static func nanoseconds(since start: NIODeadline) -> Int {
        Int((NIODeadline.now() - start).nanoseconds)
    }
}
