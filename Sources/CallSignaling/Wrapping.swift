internal import CallCore
internal import SocketIO

/// Whether events that servers of the seed's kind do not pass on travel inside an `answer`.
///
/// They pass on `offer`, `answer` and `candidate`, and nothing else. So until the server has told who is in the room
/// (one that passes everything on tells newcomers at once), and where the peer has said that it reads them there (`wraps`
/// in its descriptions) or has sent one there, `hangup`, `ringing` and `restart` go out as an `answer` without `sdp` as
/// well. Other clients never get one.
struct Wrapping: Sendable {
    /// Whether the server tells newcomers who is in the room, and so passes on every event.
    var isServerTelling = false
    private var isPeerReading = false
    private var isOn = false
    /// The last message that may also come inside an answer: where a server passes on both, the second says nothing.
    private var last: RoomEvent?

    /// Reads a server's event, or the one inside it.
    mutating func read(_ name: String, _ arguments: [JSON]) -> RoomEvent? {
        let payload = arguments.first ?? .null
        if name == "answer", payload["sdp"] == nil, let inner = payload["event"]?.stringValue {
            guard SignalMessage.wrapped.contains(inner) else { return nil }
            // Whoever declines has sent no description, and waits for our answer.
            isPeerReading = true
            return RoomEvent(name: inner, arguments: arguments)
        }
        if ["offer", "answer"].contains(name), payload["sdp"] != nil {
            isPeerReading = payload["wraps"]?.boolValue ?? false
        }
        return RoomEvent(name: name, arguments: arguments)
    }

    /// Whether the event has come already, outside an answer.
    mutating func isDouble(_ event: RoomEvent, wasWrapped: Bool) -> Bool {
        guard case .message(let message, _) = event, message.isWrapped else { return false }
        guard wasWrapped else {
            last = event
            return false
        }
        defer { last = nil }
        return event == last
    }

    /// Whether our messages are wrapped from now on, where that has changed.
    mutating func change() -> Bool? {
        let isWanted = !isServerTelling && isPeerReading
        guard isWanted != isOn else { return nil }
        isOn = isWanted
        return isWanted
    }
}
