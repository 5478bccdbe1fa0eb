internal import ChatCore
internal import WindowKit

/// The rows of a conversation, which are created again only when its messages have changed.
@WindowActor struct ConversationRows {
    enum Row {
        case day(LocalTime)
        case item(ChatItem, LocalTime)
    }

    private(set) var rows: [Row] = []
    /// The total number of rows added before the first one by older messages.
    private(set) var prepended = 0
    private var items: [ChatItem] = []

    /// Creates the rows of the messages, in order, unless the messages are unchanged.
    mutating func update(_ items: [ChatItem]) {
        guard items != self.items else { return }
        let first = self.items.first?.key
        let before = first.flatMap { position(of: $0) }
        self.items = items
        rows = []
        rows.reserveCapacity(items.count + 8)
        var day: LocalTime?
        for item in items {
            let time = LocalTime(item.message.time.timestamp)
            if day.map({ !$0.isOnDay(of: time) }) ?? true { rows.append(.day(time)) }
            day = time
            rows.append(.item(item, time))
        }
        guard let first, let before, let after = position(of: first) else { return }
        prepended += max(0, after - before)
    }

    /// Returns the index of the row of the message with an ID; nil if there is none.
    func position(ofMessage id: String) -> Int? {
        rows.firstIndex { row in
            if case .item(let item, _) = row { item.message.id == id } else { false }
        }
    }

    /// Returns the index of the row of the message with a key; nil if there is none.
    func position(of key: String) -> Int? {
        rows.firstIndex { row in
            if case .item(let item, _) = row { item.key == key } else { false }
        }
    }
}
