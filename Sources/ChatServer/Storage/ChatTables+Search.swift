internal import ChatCore
internal import GRDB
internal import ServerStore

extension ChatTables {
    private static let longestSearch = 50
    /// The maximum number of words of a query that are searched; each takes server time.
    private static let mostWords = 8
    /// The maximum duration of a search, because other searches wait for it.
    private static let timeLimit = Duration.milliseconds(300)

    /// Adds all messages that are not yet indexed to the search index, each with its two people, so that a search finds
    /// only messages of the person who searches.
    ///
    /// Messages are indexed in batches, because each transaction that changes the index costs more than a message in
    /// it.
    package func indexRest() throws {
        try execute(
            """
            INSERT INTO chat_search (rowid, people, text)
            SELECT number, people, text FROM chat_searchable WHERE number > (SELECT last FROM chat_indexed)
            """
        )
        try execute("UPDATE chat_indexed SET last = (SELECT coalesce(max(number), 0) FROM chat_message)")
    }

    /// Returns whether all messages are in the search index.
    func isWhollyIndexed() throws -> Bool {
        try Int64.fetchOne(statement("SELECT max(number) FROM chat_message")) ?? 0 <= lastIndexed()
    }

    /// Returns the number up to which messages have been indexed.
    func lastIndexed() throws -> Int64 {
        try Int64.fetchOne(statement("SELECT last FROM chat_indexed")) ?? 0
    }

    /// Adds a message's text to the search index.
    func index(_ text: String, of number: Int64, _ pair: ChatPair) throws {
        guard !text.isEmpty else { return }
        try execute(
            "INSERT INTO chat_search (rowid, people, text) VALUES (?, ?, ?)",
            [number, pair.indexed, text]
        )
    }

    /// Removes a message's text from the search index.
    func removeFromIndex(_ text: String, of number: Int64, _ pair: ChatPair) throws {
        guard !text.isEmpty else { return }
        try execute(
            "INSERT INTO chat_search (chat_search, rowid, people, text) VALUES ('delete', ?, ?, ?)",
            [number, pair.indexed, text]
        )
    }

    /// Searches a person's conversations for messages with words that begin like those of the query, newest first.
    ///
    /// - Returns: The messages found, possibly not all if the time limit was reached; nil if it was reached before any
    ///   was found.
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
    /// The people as stored in the search index.
    fileprivate var indexed: String { "\(low) \(high)" }
}
