internal import CallCore
internal import NIOCore

/// A queue of membership changes for each room, which runs one change at a time.
///
/// Confined to its event loop.
final class RoomGates {
    typealias Body = (_ leave: @escaping () -> Void) -> Void

    private let eventLoop: any EventLoop
    private var waiting: [RoomID: CircularBuffer<Body>] = [:]
    /// Called when no change of a room is running or waiting any more.
    var onEmpty: ((RoomID) -> Void)?

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Determines whether a change of the room is running.
    func isHeld(_ room: RoomID) -> Bool { waiting[room] != nil }

    /// Runs `body` after all earlier changes of the room; `body` must call its argument, `leave`, once.
    func enter(_ room: RoomID, _ body: @escaping Body) {
        guard waiting[room] == nil else {
            waiting[room]?.append(body)
            return
        }
        waiting[room] = []
        run(body, in: room)
    }

    /// Runs a change.
    ///
    /// The next change runs in a later iteration of the event loop, so that a long queue does not cause a
    /// stack overflow.
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
