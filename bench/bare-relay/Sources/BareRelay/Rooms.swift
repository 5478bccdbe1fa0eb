internal import NIOCore

/// The clients that wait for their peer; used only on the event loop.
final class Rooms {
    private var waiting: [String: RelayHandler] = [:]

    /// Removes and returns the client that waits in the room; if there is none, `handler` waits there.
    func meet(_ handler: RelayHandler, in room: String) -> RelayHandler? {
        if let other = waiting.removeValue(forKey: room) { return other }
        waiting[room] = handler
        return nil
    }

    func leave(_ handler: RelayHandler, _ room: String) {
        if waiting[room] === handler { waiting[room] = nil }
    }
}
