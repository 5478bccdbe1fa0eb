internal import CallCore
internal import NIOCore
internal import RedisKit

/// The queries to Redis about rooms, one at a time for each room.
///
/// Replies of Redis and reports of other servers arrive over different connections, so their order is
/// unknown, except that a report received while a query is pending was published after the query. Confined to
/// the server's event loop.
final class RoomQuestions {
    /// The sockets that were reported while a query was pending.
    ///
    /// The value is the time at which the client moved on to another socket, or 0.
    typealias Updates = [String: Int]

    /// The maximum number of updates kept per room: far above a room's size.
    private static let maximumUpdates = 4096

    private let link: ClusterLink
    let gates: RoomGates
    private var updates: [RoomID: Updates] = [:]

    init(_ link: ClusterLink) {
        self.link = link
        gates = RoomGates(link.eventLoop)
    }

    /// Waits for a reply about a room; the caller's change of that room is running (see `RoomGates`).
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

    /// Queries Redis about a room when the room's earlier changes are done (see `RoomGates`).
    ///
    /// `question` returns nil if there is nothing left to query; `next` is called once, whether or not a
    /// reply arrives.
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

    /// Reads a room's seats when its earlier changes are done, together with the updates received meanwhile.
    ///
    /// `body` is called if Redis replies; `next` is called exactly once in any case.
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

    /// Records a report about a socket; `time` is when its client moved on to another socket, or 0.
    func note(_ sid: String, in room: RoomID, at time: Int = 0) {
        guard let known = updates[room], known[sid] ?? -1 < time else { return }
        guard known.count < Self.maximumUpdates || known[sid] != nil else { return }
        updates[room]?[sid] = time
    }
}
