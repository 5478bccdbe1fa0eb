internal import Basics
internal import ChatCore
package import GRDB

/// The stored conversations, accessed within one transaction.
package struct ChatTables {
    /// The maximum total length in bytes of the texts in one JSON answer; larger histories are divided into pages.
    private static let mostTextBytes = 200_000
    /// The number of unindexed messages after which they are added to the search index.
    private static let indexInterval: Int64 = 128
    /// The maximum number of stored reports by one person.
    private static let mostReports = 100

    let database: Database
    /// The current time in microseconds since 1970.
    let now: Int64
    /// Whether the disk has free space for new messages.
    let hasRoom: Bool

    package init(_ database: Database, now: Int64, hasRoom: Bool = true) {
        (self.database, self.now, self.hasRoom) = (database, now, hasRoom)
    }

    // MARK: People

    /// Stores the name of a person, which is shown in messages.
    func note(_ name: String, of person: Int) throws {
        guard try self.name(of: person) != name, try !isDeleted(person) else { return }
        try execute(
            "INSERT INTO chat_person (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
            [person, name]
        )
    }

    /// Returns the stored name of a person, or the ID as text if there is none.
    func name(of person: Int) throws -> String {
        try String.fetchOne(
            statement("SELECT name FROM chat_person WHERE id = ?"),
            arguments: [person]
        ) ?? String(person)
    }

    /// Returns the people with whom a person has a conversation, with their stored names.
    func partners(of person: Int) throws -> [ChatPerson] {
        let rows = try Row.fetchCursor(
            statement(
                """
                SELECT peer, coalesce(name, peer) FROM chat_member LEFT JOIN chat_person ON chat_person.id = peer
                WHERE person = ? AND last > 0 ORDER BY last DESC LIMIT ?
                """
            ),
            arguments: [person, ChatLimits.conversations]
        )
        var people: [ChatPerson] = []
        while let row = try rows.next() { people.append(ChatPerson(id: row[0], name: row[1])) }
        return people
    }

    /// Returns the people with accounts that have a stored name, except those whose accounts were deleted.
    func namedAccounts() throws -> [Int] {
        try Int.fetchAll(
            database,
            sql: """
                SELECT id FROM chat_person WHERE id >= ? AND id NOT IN (SELECT person FROM chat_deleted)
                """,
            arguments: [PersonKind.firstAccount]
        )
    }

    /// Returns whether the account of a person was deleted.
    func isDeleted(_ person: Int) throws -> Bool {
        guard PersonKind(person) == .account else { return false }
        return try Bool.fetchOne(
            statement("SELECT EXISTS (SELECT 1 FROM chat_deleted WHERE person = ?)"),
            arguments: [person]
        ) ?? false
    }

    /// Replaces the name of a person whose account was deleted, and removes the blocks and reports by this person.
    func forget(_ person: Int) throws {
        try note(ChatPerson.deletedName, of: person)
        try execute("INSERT OR IGNORE INTO chat_deleted (person) VALUES (?)", [person])
        try execute("DELETE FROM chat_block WHERE person = ?", [person])
        try execute("DELETE FROM chat_report WHERE person = ?", [person])
    }

    private func names(of pair: ChatPair) throws -> [Int: String] {
        let rows = try Row.fetchCursor(
            statement("SELECT id, name FROM chat_person WHERE id IN (?, ?)"),
            arguments: [pair.low, pair.high]
        )
        var names: [Int: String] = [:]
        while let row = try rows.next() { names[row[0]] = row[1] }
        return names
    }

    /// Returns the people whom each person has blocked.
    package func blocks() throws -> [Int: Set<Int>] {
        let rows = try Row.fetchAll(database, sql: "SELECT person, blocked FROM chat_block")
        return rows.reduce(into: [:]) { $0[$1[0], default: []].insert($1[1]) }
    }

    func setBlock(_ blocked: Int, by person: Int, _ isBlocked: Bool) throws {
        let sql =
            isBlocked
            ? "INSERT OR IGNORE INTO chat_block (person, blocked) VALUES (?, ?)"
            : "DELETE FROM chat_block WHERE person = ? AND blocked = ?"
        try execute(sql, [person, blocked])
    }

    private func isBlocked(_ person: Int, by peer: Int) throws -> Bool {
        try Bool.fetchOne(
            statement("SELECT EXISTS (SELECT 1 FROM chat_block WHERE person = ? AND blocked = ?)"),
            arguments: [peer, person]
        ) ?? false
    }

    /// Stores a report; it replaces an earlier one about the same person, and the oldest ones beyond `mostReports`.
    func addReport(of reported: Int, by person: Int, reason: String) throws {
        try execute(
            """
            DELETE FROM chat_report WHERE person = ?1 AND (reported = ?2 OR number NOT IN (
                SELECT number FROM chat_report WHERE person = ?1 ORDER BY number DESC LIMIT ?3
            ))
            """,
            [person, reported, Self.mostReports - 1]
        )
        try execute(
            "INSERT INTO chat_report (person, reported, reason, time) VALUES (?, ?, ?, ?)",
            [person, reported, reason, now]
        )
    }

    // MARK: Conversations

    /// Creates a conversation unless it exists.
    ///
    /// Each person sends a greeting if neither has an account or `peer` is simulated, unless `peer` has blocked the
    /// person.
    func begin(_ person: Int, with peer: Int) throws {
        guard try member(person, peer) == nil else { return }
        // A conversation that involves an account begins without greetings, unless the peer is simulated.
        let isSilent =
            PersonKind(peer) != .simulated && [person, peer].contains { PersonKind($0) == .account }
        guard !isSilent, try !isBlocked(person, by: peer) else {
            return try execute(
                "INSERT INTO chat_member (person, peer, last, read, delivered) VALUES (?, ?, 0, 0, 0)",
                [person, peer]
            )
        }
        let greetings = [(peer, person, "Hi there!"), (person, peer, "Hello!")]
        for (index, (sender, recipient, text)) in greetings.enumerated() {
            var draft = ChatDraft(id: OutgoingMessage.newID(), from: sender, to: recipient, text: text)
            (draft.isDelivered, draft.isRead) = (true, true)
            // Clients of the original protocol distinguish messages by their times.
            _ = try ChatTables(database, now: now - 1 + Int64(index)).add(draft)
        }
    }

    struct Member {
        let last: Int64
        let read: Int64
        let delivered: Int64
    }

    func member(_ person: Int, _ peer: Int) throws -> Member? {
        try Row.fetchOne(
            statement("SELECT last, read, delivered FROM chat_member WHERE person = ? AND peer = ?"),
            arguments: [person, peer]
        ).map { Member(last: $0[0], read: $0[1], delivered: $0[2]) }
    }

    /// Returns the conversations of a person; those with the newest messages come first.
    func conversations(of person: Int) throws -> [ChatConversation] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT peer, last, read FROM chat_member WHERE person = ? AND last > 0
                ORDER BY last DESC LIMIT ?
                """,
            arguments: [person, ChatLimits.conversations]
        )
        return try rows.map { row in
            let (peer, last, read): (Int, Int64, Int64) = (row[0], row[1], row[2])
            let pair = ChatPair(person, peer)
            let unread = try Int.fetchOne(
                statement(
                    """
                    SELECT COUNT(*) FROM (
                        SELECT sender, is_deleted FROM chat_message
                        WHERE low = ? AND high = ? AND number > ? ORDER BY number DESC LIMIT ?
                    ) WHERE sender = ? AND is_deleted = 0
                    """
                ),
                // Deleted messages are not counted, but take time, too.
                arguments: [pair.low, pair.high, read, ChatLimits.unread, peer]
            )
            let message = try messages("number = ?", [last]).first?.preview
            return ChatConversation(with: peer, last: message, unread: unread ?? 0)
        }
    }

    /// Marks all messages to a person as delivered.
    ///
    /// - Returns: The last of the newly delivered messages of each conversation, by the ID of the other person.
    func deliverAll(to person: Int) throws -> [Int: String] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT peer, id FROM chat_member JOIN chat_message ON number = last
                WHERE person = ? AND delivered < last
                """,
            arguments: [person]
        )
        try execute(
            "UPDATE chat_member SET delivered = last WHERE person = ? AND delivered < last",
            [person]
        )
        return Dictionary(rows.map { ($0[0], $0[1]) }) { $1 }
    }

    /// Marks all messages of a conversation as delivered to a person, and also as read if `isReader`.
    func deliver(to person: Int, from peer: Int, isReader: Bool) throws {
        let sql =
            isReader
            ? "UPDATE chat_member SET delivered = last, read = last WHERE person = ? AND peer = ?"
            : "UPDATE chat_member SET delivered = last WHERE person = ? AND peer = ?"
        try execute(sql, [person, peer])
    }

    func setRead(_ number: Int64, person: Int, peer: Int) throws {
        try execute(
            """
            UPDATE chat_member SET read = max(read, ?1), delivered = max(delivered, ?1)
            WHERE person = ?2 AND peer = ?3
            """,
            [number, person, peer]
        )
    }

    /// Returns the ID of the message with this number.
    func id(of number: Int64) throws -> String? {
        try String.fetchOne(statement("SELECT id FROM chat_message WHERE number = ?"), arguments: [number])
    }

    /// Returns the number of a message; nil if the conversation has no message with this ID.
    func number(of id: String, in pair: ChatPair) throws -> Int64? {
        try Int64.fetchOne(
            statement("SELECT number FROM chat_message WHERE id = ? AND low = ? AND high = ?"),
            arguments: [id, pair.low, pair.high]
        )
    }

    // MARK: Messages

    /// Returns the time of the last message; later messages must not have an earlier time, even if the clock was set
    /// back.
    func lastTime() throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT time FROM chat_message ORDER BY number DESC LIMIT 1") ?? 0
    }

    /// Stores a message.
    ///
    /// - Returns: The message; nil if its ID exists already.
    func add(_ draft: ChatDraft) throws -> ChatMessage? {
        let pair = ChatPair(draft.sender, draft.recipient)
        try execute(
            """
            INSERT INTO chat_message (id, low, high, sender, text, time, is_automatic, media, reply_to)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
            """,
            [
                draft.id, pair.low, pair.high, draft.sender, draft.text, now, draft.isAutomatic,
                draft.media, draft.replyTo,
            ]
        )
        guard database.changesCount > 0 else { return nil }
        let number = database.lastInsertedRowID
        if number - (try lastIndexed()) >= Self.indexInterval { try indexRest() }
        try note(number, of: draft)
        let names = try names(of: pair)
        var message = ChatMessage(
            from: names[draft.sender] ?? String(draft.sender),
            to: names[draft.recipient] ?? String(draft.recipient),
            text: draft.text,
            time: ChatTime(microseconds: now)
        )
        (message.id, message.fromID, message.toID) = (draft.id, draft.sender, draft.recipient)
        (message.replyTo, message.isAutomatic) = (draft.replyTo, draft.isAutomatic)
        if let media = draft.media { message.media = try self.media(media)?.media }
        return message
    }

    /// Updates the last message of a conversation for both people.
    private func note(_ number: Int64, of draft: ChatDraft) throws {
        try execute(
            """
            INSERT INTO chat_member (person, peer, last, read, delivered)
            VALUES (?1, ?2, ?3, ?3, ?3), (?2, ?1, ?3, ?4, ?5)
            ON CONFLICT (person, peer) DO UPDATE SET last = excluded.last,
                read = max(read, excluded.read), delivered = max(delivered, excluded.delivered)
            """,
            [
                draft.sender, draft.recipient, number, draft.isRead ? number : 0,
                draft.isDelivered ? number : 0,
            ]
        )
    }

    /// Returns the message with this ID.
    func message(_ id: String) throws -> ChatMessage? { try messages("id = ?", [id]).first }

    /// Returns the messages of a conversation before a number, in order.
    func page(_ pair: ChatPair, before number: Int64?, limit: Int) throws -> ChatPage {
        let found = try messages(
            "low = ? AND high = ? AND number < ? ORDER BY number DESC LIMIT ?",
            [pair.low, pair.high, number ?? .max, limit + 1]
        )
        let shown = Self.fitting(found.prefix(limit))
        return ChatPage(shown.reversed(), hasMore: found.count > shown.count)
    }

    /// Returns the longest prefix of messages whose texts fit into one answer; at least one message.
    static func fitting(_ messages: some Sequence<ChatMessage>) -> [ChatMessage] {
        var (fitting, length): ([ChatMessage], Int) = ([], 0)
        for message in messages {
            length += JSON.escapedLength(of: message.text)
            if length > mostTextBytes, !fitting.isEmpty { break }
            fitting.append(message)
        }
        return fitting
    }

    /// Changes the text of a message, or deletes the message.
    ///
    /// - Returns: The ID of a file that must be deleted, if any.
    @discardableResult
    func setText(_ text: String, of number: Int64, isDeleted: Bool) throws -> String? {
        let row = try Row.fetchOne(
            statement("SELECT text, media, low, high FROM chat_message WHERE number = ?"),
            arguments: [number]
        )
        guard let row else { return nil }
        let (pair, media): (ChatPair, String?) = (ChatPair(row["low"], row["high"]), row["media"])
        let isIndexed = try number <= lastIndexed()
        if isIndexed { try removeFromIndex(row["text"], of: number, pair) }
        try execute(
            """
            UPDATE chat_message SET text = ?1, is_edited = is_edited OR NOT ?2, is_deleted = ?2,
                media = CASE WHEN ?2 THEN NULL ELSE media END
            WHERE number = ?3
            """,
            [text, isDeleted, number]
        )
        if isIndexed { try index(text, of: number, pair) }
        guard isDeleted else { return nil }
        try execute("DELETE FROM chat_reaction WHERE message = ?", [number])
        guard let media, try forgetMedia(media) else { return nil }
        return media
    }

    func setReaction(_ reaction: ChatReaction, of person: Int, to number: Int64, isAdded: Bool) throws {
        let sql =
            isAdded
            ? "INSERT OR IGNORE INTO chat_reaction (message, reaction, person) VALUES (?, ?, ?)"
            : "DELETE FROM chat_reaction WHERE message = ? AND reaction = ? AND person = ?"
        try execute(sql, [number, reaction.rawValue, person])
    }

    func messages(_ condition: String, _ arguments: StatementArguments) throws -> [ChatMessage] {
        let rows = try Row.fetchAll(
            statement("SELECT * FROM chat_message WHERE \(condition)"),
            arguments: arguments
        )
        var names: [Int: String] = [:]
        func known(_ person: Int) throws -> String {
            if let name = names[person] { return name }
            let name = try name(of: person)
            names[person] = name
            return name
        }
        return try rows.map { row in
            let sender: Int = row["sender"]
            let recipient = ChatPair(row["low"], row["high"]).other(than: sender)
            var message = ChatMessage(
                from: try known(sender),
                to: try known(recipient),
                text: row["text"],
                time: ChatTime(microseconds: row["time"])
            )
            (message.id, message.fromID, message.toID) = (row["id"], sender, recipient)
            (message.isAutomatic, message.replyTo) = (row["is_automatic"], row["reply_to"])
            (message.isEdited, message.isDeleted) = (row["is_edited"], row["is_deleted"])
            if let id: String = row["media"] { message.media = try media(id)?.media }
            message.reactions = try reactions(to: row["number"])
            return message
        }
    }

    private func reactions(to number: Int64) throws -> [ChatReaction: [Int]] {
        let rows = try Row.fetchAll(
            statement("SELECT reaction, person FROM chat_reaction WHERE message = ? ORDER BY person"),
            arguments: [number]
        )
        return rows.reduce(into: [:]) { reactions, row in
            if let reaction = ChatReaction(rawValue: row[0]) {
                reactions[reaction, default: []].append(row[1])
            }
        }
    }

    // MARK: Statements

    func statement(_ sql: String) throws -> Statement { try database.cachedStatement(sql: sql) }

    func execute(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        try statement(sql).execute(arguments: arguments)
    }
}
