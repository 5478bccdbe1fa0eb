package import ChatCore
internal import GRDB

/// A file of the chat as the server has it.
package struct StoredMedia: Hashable, Sendable {
    package let media: ChatMedia
    package let owner: Int
}

extension ChatTables {
    package func add(_ media: ChatMedia, owner: Int) throws {
        try execute(
            """
            INSERT INTO chat_media (id, owner, type, bytes, width, height, duration, created)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                media.id, owner, media.type, media.bytes, media.width, media.height, media.duration, now,
            ]
        )
    }

    package func media(_ id: String) throws -> StoredMedia? {
        let row = try Row.fetchOne(statement("SELECT * FROM chat_media WHERE id = ?"), arguments: [id])
        guard let row else { return nil }
        var media = ChatMedia(id: id, url: ChatMedia.path(id), type: row["type"], bytes: row["bytes"])
        (media.width, media.height, media.duration) = (row["width"], row["height"], row["duration"])
        return StoredMedia(media: media, owner: row["owner"])
    }

    /// Determines whether a person may have a file: its owner, and those to whom it was sent.
    package func mayRead(_ id: String, person: Int) throws -> Bool {
        guard let owner = try media(id)?.owner else { return false }
        if owner == person { return true }
        return try Bool.fetchOne(
            statement("SELECT EXISTS (SELECT 1 FROM chat_message WHERE media = ? AND (low = ? OR high = ?))"),
            arguments: [id, person, person]
        ) ?? false
    }

    /// Returns the IDs of all files.
    package func mediaIDs() throws -> Set<String> {
        Set(try String.fetchAll(database, sql: "SELECT id FROM chat_media"))
    }

    /// Forgets a file that no message has any more.
    ///
    /// - Returns: Whether the file is to be removed.
    func forgetMedia(_ id: String) throws -> Bool {
        try execute(
            "DELETE FROM chat_media WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM chat_message WHERE media = ?1)",
            [id]
        )
        return database.changesCount > 0
    }

    /// Removes the oldest files of an owner until they have at most `ownLimit` bytes, and then files of those who have the
    /// most until all have at most `limit` bytes together.
    ///
    /// Of a person's files, those that were never sent are removed first.
    /// - Returns: The IDs of the removed files, of which `newest` is none.
    package func trimMedia(to limit: Int, of owner: Int, to ownLimit: Int, newest: String) throws -> [String]
    {
        var removed = try removeMedia(of: owner, to: ownLimit, newest: newest)
        while let excess = try excess(over: limit), let largest = try largestOwners() {
            // Nobody loses more than what another one has.
            let left = max(largest.bytes - excess, largest.next)
            let files = try removeMedia(of: largest.owner, to: min(left, largest.bytes - 1), newest: newest)
            guard !files.isEmpty else { break }
            removed += files
        }
        return removed
    }

    private func excess(over limit: Int) throws -> Int? {
        let bytes = try Int.fetchOne(database, sql: "SELECT SUM(bytes) FROM chat_media") ?? 0
        return bytes > limit ? bytes - limit : nil
    }

    /// Finds the owner of the most bytes, and how many the next one has.
    private func largestOwners() throws -> (owner: Int, bytes: Int, next: Int)? {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT owner, SUM(bytes) FROM chat_media GROUP BY owner ORDER BY 2 DESC, owner LIMIT 2"
        )
        guard let first = rows.first else { return nil }
        return (first[0], first[1], rows.count > 1 ? rows[1][1] : 0)
    }

    private func removeMedia(of owner: Int, to limit: Int, newest: String) throws -> [String] {
        let bytes = try Int.fetchOne(
            statement("SELECT SUM(bytes) FROM chat_media WHERE owner = ?"),
            arguments: [owner]
        )
        var excess = (bytes ?? 0) - limit
        guard excess > 0 else { return [] }
        var removed: [String] = []
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT id, bytes FROM chat_media WHERE owner = ?
                ORDER BY EXISTS (SELECT 1 FROM chat_message WHERE media = chat_media.id), created, id
                """,
            arguments: [owner]
        )
        while excess > 0, let row = try rows.next() {
            guard row[0] != newest else { continue }
            excess -= row[1] as Int
            removed.append(row[0])
        }
        for id in removed { try execute("DELETE FROM chat_media WHERE id = ?", [id]) }
        return removed
    }
}

extension ChatMedia {
    /// The path of a file on the server.
    static func path(_ id: String) -> String { "/api/media/\(id)" }
}
