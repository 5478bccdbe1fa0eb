internal import NIOCore

/// The delayed messages for one client's socket.
final class DelayQueue {
    /// The maximum time that an event waits for another one to overtake it.
    static let maximumDelay = TimeAmount.seconds(1)

    private struct Entry {
        let number: Int
        let time: NIODeadline
        let messages: [FramedMessage]
    }

    private let socket: SocketConnection
    private var entries: [Entry] = []
    /// The entries that are sent right after a later one.
    private var overtaken: [Entry] = []
    private var nextNumber = 0
    /// The time until which new messages have to wait behind earlier ones.
    private var heldUntil = NIODeadline.distantPast

    init(_ socket: SocketConnection) { self.socket = socket }

    var isEmpty: Bool { entries.isEmpty && overtaken.isEmpty }

    /// Computes when a delayed event is due: not before an earlier one.
    func time(after delay: TimeAmount, at now: NIODeadline) -> NIODeadline { max(now + delay, heldUntil) }

    /// Queues messages to be sent in order.
    func add(_ messages: [FramedMessage], until time: NIODeadline) {
        heldUntil = time
        entries.append(entry(messages, time))
    }

    /// Queues messages to be sent at their time, regardless of the order.
    func addCopy(_ messages: [FramedMessage], until time: NIODeadline) {
        entries.append(entry(messages, time))
    }

    /// Queues messages that the next one overtakes.
    func addOvertaken(_ messages: [FramedMessage], until time: NIODeadline) {
        overtaken.append(entry(messages, time))
    }

    private func entry(_ messages: [FramedMessage], _ time: NIODeadline) -> Entry {
        defer { nextNumber += 1 }
        return Entry(number: nextNumber, time: time, messages: messages)
    }

    /// Sends messages at once, then those they overtake; the result is the messages that had waited.
    func send(_ messages: [FramedMessage]) -> [FramedMessage] {
        for message in messages { socket.send(message) }
        defer { nextNumber += 1 }
        return sendOvertaken { $0.number < nextNumber }
    }

    /// Sends due messages in order, then those they overtake; the result is the messages that had waited.
    func sendDue(at now: NIODeadline) -> [FramedMessage] {
        let due = entries.filter { $0.time <= now }
            .sorted { ($0.time, $0.number) < ($1.time, $1.number) }
        entries.removeAll { $0.time <= now }
        var sent: [FramedMessage] = []
        for entry in due {
            for message in entry.messages { socket.send(message) }
            sent += entry.messages
            sent += sendOvertaken { $0.number < entry.number }
        }
        return sent + sendOvertaken { $0.time <= now }
    }

    private func sendOvertaken(where isMeant: (Entry) -> Bool) -> [FramedMessage] {
        guard !overtaken.isEmpty else { return [] }
        let released = overtaken.filter(isMeant).flatMap(\.messages)
        overtaken.removeAll(where: isMeant)
        for message in released { socket.send(message) }
        return released
    }
}
