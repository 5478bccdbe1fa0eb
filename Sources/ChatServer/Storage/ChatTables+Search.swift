internal import ChatCore
internal import GRDB
internal import ServerStore

extension ChatTables {
    private static let longestSearch = 50
    /// The number of words of a query that are looked for; each costs the server time.
    private static let mostWords = 8
    /// The time that a search may take, because others wait.
    private static let timeLimit = Duration.milliseconds(300)

    /// Adds all messages that are not in the index of searches yet, each with its people, so that searches meet only
    /// messages of their person.
    ///
    /// Messages come into the index together, because a transaction that changes it costs more than a message in it.
    package func indexRest() throws {
        try execute(
            """
            INSERT INTO chat_search (rowid, people, text)
            SELECT number, people, text FROM chat_searchable WHERE number > (SELECT last FROM chat_indexed)
            """
        )
        try execute("UPDATE chat_indexed SET last = (SELECT coalesce(max(number), 0) FROM chat_message)")
    }

    /// Whether all messages are in the index of searches.
    func isWhollyIndexed() throws -> Bool {
        try Int64.fetchOne(statement("SELECT max(number) FROM chat_message")) ?? 0 <= lastIndexed()
    }

    /// Returns the number of the last message that is in the index of searches, if it has a text.
    func lastIndexed() throws -> Int64 {
        try Int64.fetchOne(statement("SELECT last FROM chat_indexed")) ?? 0
    }

    /// Adds a text to the index of searches.
    func index(_ text: String, of number: Int64, _ pair: ChatPair) throws {
        guard !text.isEmpty else { return }
        try execute(
            "INSERT INTO chat_search (rowid, people, text) VALUES (?, ?, ?)",
            [number, pair.indexed, text]
        )
    }

    /// Removes a text from the index of searches.
    func removeFromIndex(_ text: String, of number: Int64, _ pair: ChatPair) throws {
        guard !text.isEmpty else { return }
        try execute(
            "INSERT INTO chat_search (chat_search, rowid, people, text) VALUES ('delete', ?, ?, ?)",
            [number, pair.indexed, text]
        )
    }

    /// Finds messages in the index, of a person's conversations, with words that begin as those of the query, the newest
    /// first.
    ///
    /// - Returns: The messages, of which some may be missing after the time limit; nil if none was found by then.
    func search(
        _ query: String,
        person: Int,
        within limit: Duration = timeLimit
    ) throws -> [ChatMessage]? {
        let tokens = try database.makeTokenizer(.unicode61(diacritics: .remove)).tokenize(query: query)
            .prefix(Self.mostWords)
        guard !tokens.isEmpty else { return [] }
        // Tokens have neither quotation marks nor white space.
        let words = tokens.map { "\"\($0.token)\" *" }.joined(separator: " AND ")
        var numbers: [Int64] = []
        let isComplete = try database.within(limit) {
            let rows = try Int64.fetchCursor(
                statement(
                    "SELECT rowid FROM chat_search WHERE chat_search MATCH ? ORDER BY rowid DESC LIMIT ?"
                ),
                arguments: ["people : \"\(person)\" AND text : (\(words))", Self.longestSearch]
            )
            while let number = try rows.next() { numbers.append(number) }
        }
        guard isComplete || !numbers.isEmpty else { return nil }
        return Self.fitting(try numbers.compactMap { try messages("number = ?", [$0]).first })
    }
}

extension ChatPair {
    /// The people as the index of searches has them.
    fileprivate var indexed: String { "\(low) \(high)" }
}
