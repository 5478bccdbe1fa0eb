internal import CallCore
internal import NIOCore
internal import RedisKit

/// The questions that Redis is asked about rooms, one at a time for each room.
///
/// Answers and reports of other servers arrive over different connections, so their order is unknown, except
/// that a report received while a question is pending was published after the question. Confined to the
/// server's event loop.
final class RoomQuestions {
    /// The sockets that were reported while a question was pending.
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

    /// Waits for an answer about a room, whose gate the caller holds.
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

    /// Asks Redis about a room within its gate.
    ///
    /// `question` returns nil if there is nothing left to ask; `next` is called once, whether or not there is
    /// an answer.
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

    /// Reads a room's seats within its gate, together with the updates received meanwhile.
    ///
    /// `body` is called if Redis answers; `next` is called exactly once in any case.
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

    /// The rooms that Redis is being asked about.
    var pending: [RoomID] { Array(updates.keys) }

    /// Records a report about a socket; `time` is when its client moved on to another socket, or 0.
    func note(_ sid: String, in room: RoomID, at time: Int = 0) {
        guard let known = updates[room], known[sid] ?? -1 < time else { return }
        guard known.count < Self.maximumUpdates || known[sid] != nil else { return }
        updates[room]?[sid] = time
    }
}
