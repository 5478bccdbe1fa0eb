internal import CallCore
internal import NIOCore
internal import RedisKit

/// The queries to Redis about rooms, one at a time for each room.
///
/// Confined to the server's event loop. Replies of Redis and reports of other servers arrive over different
/// connections, so their order is unknown. Reports received while a query is pending take precedence over the
/// reply.
final class RoomQuestions {
    /// The sockets about which reports were received while a query was pending.
    ///
    /// The value is the time at which the socket's client moved to another socket, or 0 for other reports.
    typealias Updates = [String: Int]

    /// The maximum number of updates stored per room, which is far more than a room's members.
    private static let maximumUpdates = 4096

    private let link: ClusterLink
    let gates: RoomGates
    private var updates: [RoomID: Updates] = [:]

    init(_ link: ClusterLink) {
        self.link = link
        gates = RoomGates(link.eventLoop)
    }

    /// Calls `done` with a reply about a room, or with nil if the query fails; must be called while a change
    /// of the room is running (see `RoomGates`).
    ///
    /// `done` is not called if the link is closed in the meantime.
    func ask(
        _ room: RoomID,
        _ answer: EventLoopFuture<RESPValue>,
        _ done: @escaping (_ answer: RESPValue?, _ updates: Updates) -> Void
    ) {
        updates[room] = [:]
        answer.assumeIsolated().whenComplete { [weak self] result in
            guard let self, !link.isClosed else { return }
            let heard = updates.removeValue(forKey: room) ?? [:]
            if case .failure(let error) = result { link.noteFailure(error, in: room) }
            done(try? result.get(), heard)
        }
    }

    /// Queries Redis about a room after the room's earlier changes (see `RoomGates`).
    ///
    /// `question` returns nil if no query is necessary any more; `next` is called once, with or without a
    /// reply, unless the link is closed during the query.
    func ask(
        inTurn room: RoomID,
        _ next: @escaping () -> Void,
        _ question: @escaping () -> EventLoopFuture<RESPValue>?,
        _ body: @escaping (_ answer: RESPValue?, _ updates: Updates) -> Void
    ) {
        gates.enter(room) { [weak self] leave in
            let done = {
                leave()
                next()
            }
            guard let self, !link.isClosed, let answer = question() else { return done() }
            ask(room, answer) {
                body($0, $1)
                done()
            }
        }
    }

    /// Reads a room's seats after the room's earlier changes, and collects the reports received in that time.
    ///
    /// `body` is called if Redis replies; `next` is called once, with or without a reply, unless the link is
    /// closed during the query.
    func look(
        into room: RoomID,
        _ next: @escaping () -> Void,
        _ body: @escaping (_ places: [RemoteMember], _ updates: Updates) -> Void
    ) {
        ask(inTurn: room, next) { [link] in
            link.isUp ? link.seats.look(room) : nil
        } _: { answer, updates in
            guard let items = answer?.items else { return }
            body(items.compactMap { RemoteMember(in: $0, room: room) }, updates)
        }
    }

    /// The rooms with a pending query.
    var pending: [RoomID] { Array(updates.keys) }

    /// Records a report about a socket; `time` is when its client moved to another socket, or 0 for other
    /// reports.
    func note(_ sid: String, in room: RoomID, at time: Int = 0) {
        guard let known = updates[room], known[sid] ?? -1 < time else { return }
        guard known.count < Self.maximumUpdates || known[sid] != nil else { return }
        updates[room]?[sid] = time
    }
}
