package import ChatCore
internal import GRDB

/// A stored file and its owner.
package struct StoredMedia: Hashable, Sendable {
    package let media: ChatMedia
    package let owner: Int
}

/// The limits for stored files.
package struct MediaQuota: Hashable, Sendable {
    /// The minimum number of bytes that a file counts toward the limits, because even a small file occupies a disk
    /// block.
    package static let smallest = 4096

    /// The maximum total size of all files in bytes.
    package var bytes: Int
    /// The maximum total size of a person's files in bytes.
    package var bytesOfPerson: Int
    /// The maximum number of files of a person.
    package var filesOfPerson: Int
    /// The maximum number of files that are removed in one transaction, because others wait for it.
    package var removedAtOnce: Int

    package static let ofServer = MediaQuota(
        bytes: ChatLimits.allFiles,
        bytesOfPerson: ChatLimits.filesOfPerson,
        filesOfPerson: ChatLimits.fileCountOfPerson,
        removedAtOnce: 256
    )
}

extension ChatTables {
    /// The time in microseconds after which an uploaded file without a message counts as unsent: an hour.
    private static let unsentTime: Int64 = 3_600_000_000

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

    /// Determines whether a person may read a file: the owner, or somebody in whose conversation it was sent.
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

    /// Removes the entry of a file that no message uses any more.
    ///
    /// - Returns: Whether the file must be deleted.
    func forgetMedia(_ id: String) throws -> Bool {
        try execute(
            "DELETE FROM chat_media WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM chat_message WHERE media = ?1)",
            [id]
        )
        return database.changesCount > 0
    }

    /// Removes the oldest files of `owner` until they are within the limits per person, and then files of the people
    /// with the largest total size until all files are within the total limit.
    ///
    /// Files that were not sent within an hour are removed before the other files of the same person.
    ///
    /// - Returns: The IDs of the removed files, never `newest`; if there are `quota.removedAtOnce` of them, another
    ///   call may have to remove more.
    package func trimMedia(_ quota: MediaQuota, of owner: Int, newest: String) throws -> [String] {
        var sums: [Int: Int] = [:]
        var ownCount = 0
        let rows = try Row.fetchCursor(
            statement("SELECT owner, SUM(max(bytes, ?)), COUNT(*) FROM chat_media GROUP BY owner"),
            arguments: [MediaQuota.smallest]
        )
        while let row = try rows.next() {
            sums[row[0]] = row[1]
            if row[0] == owner { ownCount = row[2] }
        }
        var total = sums.values.reduce(0, +)
        var files: [Int: ArraySlice<(id: String, bytes: Int)>] = [:]
        var removed: [String] = []
        func removeNext(of owner: Int) throws {
            var left = try files[owner] ?? removable(of: owner, newest: newest)[...]
            // A person without further removable files is not considered again.
            guard let file = left.popFirst() else { return sums[owner] = nil }
            files[owner] = left
            removed.append(file.id)
            let bytes = max(file.bytes, MediaQuota.smallest)
            sums[owner, default: 0] -= bytes
            total -= bytes
        }
        // Finding the oldest of many files takes long, so at least one percent of the files are removed.
        let isOver = sums[owner, default: 0] > quota.bytesOfPerson || ownCount > quota.filesOfPerson
        let spare = isOver ? ownCount / 100 : 0
        while removed.count < quota.removedAtOnce, let sum = sums[owner],
            sum > quota.bytesOfPerson || ownCount - removed.count > quota.filesOfPerson
                || removed.count < spare
        {
            try removeNext(of: owner)
        }
        while removed.count < quota.removedAtOnce, total > quota.bytes,
            let largest = sums.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })
        {
            try removeNext(of: largest.key)
        }
        for id in removed { try execute("DELETE FROM chat_media WHERE id = ?", [id]) }
        return removed
    }

    /// Returns a person's files in the order in which they are to be removed.
    private func removable(of owner: Int, newest: String) throws -> [(id: String, bytes: Int)] {
        try Row.fetchAll(
            statement(
                """
                SELECT id, bytes FROM chat_media WHERE owner = ? AND id != ?
                ORDER BY created > ? OR EXISTS (SELECT 1 FROM chat_message WHERE media = chat_media.id), created, id
                """
            ),
            arguments: [owner, newest, now - Self.unsentTime]
        ).map { ($0[0], $0[1]) }
    }
}

extension ChatMedia {
    /// The path of a file on the server.
    static func path(_ id: String) -> String { "/api/media/\(id)" }
}
