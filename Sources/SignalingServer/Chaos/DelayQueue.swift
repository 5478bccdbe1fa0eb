internal import NIOCore

/// What waits for one client's socket because the server keeps it back.
final class DelayQueue {
    /// How long an event waits for another one to overtake it.
    static let patience = TimeAmount.seconds(1)

    private struct Entry {
        let number: Int
        let time: NIODeadline
        let messages: [FramedMessage]
    }

    private let socket: SocketConnection
    private var entries: [Entry] = []
    /// Those that are sent as soon as a later one has been.
    private var overtaken: [Entry] = []
    private var nextNumber = 0
    /// Until when what comes now has to wait behind what came before.
    private var heldUntil = NIODeadline.distantPast

    init(_ socket: SocketConnection) { self.socket = socket }

    var isEmpty: Bool { entries.isEmpty && overtaken.isEmpty }

    /// When an event that is to come so late is due: not before one that came before it.
    func time(after delay: TimeAmount, at now: NIODeadline) -> NIODeadline { max(now + delay, heldUntil) }

    /// Keeps what is to be sent in its turn.
    func add(_ messages: [FramedMessage], until time: NIODeadline) {
        heldUntil = time
        entries.append(entry(messages, time))
    }

    /// Keeps what is to be sent at its time, whatever comes before and after.
    func addCopy(_ messages: [FramedMessage], until time: NIODeadline) {
        entries.append(entry(messages, time))
    }

    /// Keeps what the next one is to overtake.
    func addOvertaken(_ messages: [FramedMessage], until time: NIODeadline) {
        overtaken.append(entry(messages, time))
    }

    private func entry(_ messages: [FramedMessage], _ time: NIODeadline) -> Entry {
        defer { nextNumber += 1 }
        return Entry(number: nextNumber, time: time, messages: messages)
    }

    /// Sends at once, and then what that overtakes; the messages that had waited.
    func send(_ messages: [FramedMessage]) -> [FramedMessage] {
        for message in messages { socket.send(message) }
        defer { nextNumber += 1 }
        return sendOvertaken { $0.number < nextNumber }
    }

    /// Sends what is due, in order, and what that overtakes; the messages that had waited.
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
