internal import FrontParsers
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
    /// The entries to be sent right after a later message has been sent.
    private var overtaken: [Entry] = []
    private var nextNumber = 0
    /// The time until which new messages have to wait behind earlier ones.
    private var heldUntil = NIODeadline.distantPast

    init(_ socket: SocketConnection) { self.socket = socket }

    var isEmpty: Bool { entries.isEmpty && overtaken.isEmpty }

    /// Returns the time at which a delayed event is due, which is not before that of events that were queued earlier.
    func time(after delay: TimeAmount, at now: NIODeadline) -> NIODeadline { max(now + delay, heldUntil) }

    /// Queues messages to be sent in order.
    func add(_ messages: [FramedMessage], until time: NIODeadline) {
        heldUntil = time
        entries.append(entry(messages, time))
    }

    /// Queues duplicates to be sent at `time`, regardless of the order of the other messages.
    func addCopy(_ messages: [FramedMessage], until time: NIODeadline) {
        entries.append(entry(messages, time))
    }

    /// Queues messages to be sent right after the next message, but at `time` at the latest.
    func addOvertaken(_ messages: [FramedMessage], until time: NIODeadline) {
        overtaken.append(entry(messages, time))
    }

    private func entry(_ messages: [FramedMessage], _ time: NIODeadline) -> Entry {
        defer { nextNumber += 1 }
        return Entry(number: nextNumber, time: time, messages: messages)
    }

    /// Sends messages immediately, followed by the queued messages that they overtake, and returns the latter.
    func send(_ messages: [FramedMessage]) -> [FramedMessage] {
        for message in messages { socket.send(message) }
        defer { nextNumber += 1 }
        return sendOvertaken { $0.number < nextNumber }
    }

    /// Sends the due messages in order, each followed by the messages that it overtakes, and returns all of
    /// them.
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
