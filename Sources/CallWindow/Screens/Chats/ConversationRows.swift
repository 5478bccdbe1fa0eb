internal import ChatCore
internal import WindowKit

/// The rows of a conversation, which are made anew only when its messages have changed.
@WindowActor struct ConversationRows {
    enum Row {
        case day(LocalTime)
        case item(ChatItem, LocalTime)
    }

    private(set) var rows: [Row] = []
    /// The number of rows that were added before the first one.
    private(set) var prepended = 0
    private var items: [ChatItem] = []

    /// Makes the rows of the messages, in order.
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

    /// Returns the row of the message with an ID.
    func position(ofMessage id: String) -> Int? {
        rows.firstIndex { row in
            if case .item(let item, _) = row { item.message.id == id } else { false }
        }
    }

    /// Returns the row of a message.
    func position(of key: String) -> Int? {
        rows.firstIndex { row in
            if case .item(let item, _) = row { item.key == key } else { false }
        }
    }
}
