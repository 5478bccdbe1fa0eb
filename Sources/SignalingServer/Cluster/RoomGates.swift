internal import CallCore
internal import NIOCore

/// Lets one after the other change who is in a room: each when what came before it is done.
///
/// Confined to its event loop.
final class RoomGates {
    typealias Body = (_ leave: @escaping () -> Void) -> Void

    private let eventLoop: any EventLoop
    private var waiting: [RoomID: CircularBuffer<Body>] = [:]
    /// Is told when nobody is in a room's gate any more.
    var onEmpty: ((RoomID) -> Void)?

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Whether something is being done in the room, or waits for that.
    func isHeld(_ room: RoomID) -> Bool { waiting[room] != nil }

    /// Runs `body` when all that entered the room before have left it; `leave` is to be called once.
    func enter(_ room: RoomID, _ body: @escaping Body) {
        guard waiting[room] == nil else {
            waiting[room]?.append(body)
            return
        }
        waiting[room] = []
        run(body, in: room)
    }

    /// The next one is run in a turn of its own: a long queue of them must not pile up on the stack.
    private func run(_ body: Body, in room: RoomID) {
        let loop = eventLoop.assumeIsolated()
        body { [weak self] in
            loop.execute { self?.left(room) }
        }
    }

    private func left(_ room: RoomID) {
        if let next = waiting[room]?.popFirst() { return run(next, in: room) }
        waiting[room] = nil
        onEmpty?(room)
    }
}
