internal import NIOCore

/// The clients that wait for the other of their pair; confined to the event loop.
final class Rooms {
    private var waiting: [String: RelayHandler] = [:]

    /// The one who waits in that room; where there is none, the newcomer waits.
    func meet(_ handler: RelayHandler, in room: String) -> RelayHandler? {
        if let other = waiting.removeValue(forKey: room) { return other }
        waiting[room] = handler
        return nil
    }

    func leave(_ handler: RelayHandler, _ room: String) {
        if waiting[room] === handler { waiting[room] = nil }
    }
}
