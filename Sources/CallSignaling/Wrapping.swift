internal import CallCore
internal import SocketIO

/// The decision whether events that simple servers do not relay are also sent inside an `answer`.
///
/// Simple servers relay `offer`, `answer` and `candidate` only. Therefore `hangup`, `ringing` and `restart`
/// are also sent as an `answer` without `sdp`, as long as
///
/// - the server has not reported who is in the room (one that relays everything tells newcomers at once), and
/// - the peer reads such answers: its descriptions contain `wraps`, or it has sent one itself.
///
/// Other clients never receive one.
struct Wrapping: Sendable {
    /// Whether the server sends newcomers the participant list, and therefore relays every event.
    var isRoomStateSent = false
    private var isPeerReading = false
    private var isOn = false
    /// The last message that may arrive again inside an answer, as some servers relay both.
    private var last: RoomEvent?

    /// Parses a server's event, or the one inside it.
    mutating func read(_ name: String, _ arguments: [JSON]) -> RoomEvent? {
        let payload = arguments.first ?? .null
        if name == "answer", payload["sdp"] == nil, let inner = payload["event"]?.stringValue {
            guard SignalMessage.wrapped.contains(inner) else { return nil }
            // A peer that declines has sent no description, and waits for our answer.
            isPeerReading = true
            return RoomEvent(name: inner, arguments: arguments)
        }
        if ["offer", "answer"].contains(name), payload["sdp"] != nil {
            isPeerReading = payload["wraps"]?.boolValue ?? false
        }
        return RoomEvent(name: name, arguments: arguments)
    }

    /// Whether the event has already arrived outside an answer.
    mutating func isDouble(_ event: RoomEvent, wasWrapped: Bool) -> Bool {
        guard case .message(let message, _) = event, message.isWrapped else { return false }
        guard wasWrapped else {
            last = event
            return false
        }
        defer { last = nil }
        return event == last
    }

    /// Updates whether our messages are wrapped from now on.
    ///
    /// - Returns: the new value if it has changed; else nil.
    mutating func change() -> Bool? {
        let isWanted = !isRoomStateSent && isPeerReading
        guard isWanted != isOn else { return nil }
        isOn = isWanted
        return isWanted
    }
}
