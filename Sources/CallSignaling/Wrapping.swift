internal import Basics
internal import CallCore

/// The state that decides whether events that simple servers do not relay are also sent inside an `answer`.
///
/// Simple servers relay only `offer`, `answer` and `candidate`. Therefore, `hangup`, `ringing` and `restart`
/// are also sent as an `answer` without `sdp` under two conditions:
///
/// - The server has not sent a participant list. A server that relays all events sends one to each newcomer.
/// - The peer supports such answers: its descriptions contain `wraps`, or it has sent such an answer itself.
///
/// Clients that do not support such answers never receive one.
struct Wrapping: Sendable {
    /// Whether the server sends newcomers the participant list, and therefore relays every event.
    var isRoomStateSent = false
    private var isPeerReading = false
    private var isOn = false
    /// The last message received outside an `answer`; a server that relays every event also delivers its copy inside an
    /// `answer`.
    private var last: RoomEvent?

    /// Parses a server's event, or the event that its `answer` contains.
    mutating func read(_ name: String, _ arguments: [JSON]) -> RoomEvent? {
        let payload = arguments.first ?? .null
        if name == "answer", payload["sdp"] == nil, let inner = payload["event"]?.stringValue {
            guard SignalMessage.wrapped.contains(inner) else { return nil }
            // A peer that declines sends no description with `wraps`, but waits for our confirmation.
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

    /// Updates whether outgoing messages are wrapped from now on.
    ///
    /// - Returns: The new value if it has changed; otherwise nil.
    mutating func change() -> Bool? {
        let isWanted = !isRoomStateSent && isPeerReading
        guard isWanted != isOn else { return nil }
        isOn = isWanted
        return isWanted
    }
}
