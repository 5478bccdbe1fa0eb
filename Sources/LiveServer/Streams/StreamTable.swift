internal import FoundationEssentials
internal import GRDB
package import ServerStore

/// The database migrations of live streams.
package enum LiveSchema {
    package static let migrations = [
        ServerDatabase.Migration("live 1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE live_stream (
                        id TEXT PRIMARY KEY,
                        created INTEGER NOT NULL,
                        sealed_key BLOB NOT NULL,
                        playback_id TEXT NOT NULL UNIQUE,
                        latency TEXT NOT NULL,
                        reconnect_window INTEGER NOT NULL,
                        is_disabled INTEGER NOT NULL,
                        passthrough TEXT
                    ) STRICT;
                    """
            )
        }
    ]
}

/// The stored streams.
struct StreamTable: Sendable {
    let database: ServerDatabase
    let box: StreamKeyBox

    /// Reads all streams, in order of creation.
    ///
    /// - Throws: `ServerStoreFailure`.
    func all() async throws -> [StreamRecord] {
        let box = box
        return try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM live_stream ORDER BY created, rowid").map { row in
                let (id, sealed): (String, Data) = (row["id"], row["sealed_key"])
                return StreamRecord(
                    id: id,
                    created: row["created"],
                    key: try box.open(sealed, of: id),
                    playbackID: row["playback_id"],
                    latency: StreamRecord.Latency(rawValue: row["latency"]) ?? .standard,
                    reconnectWindow: row["reconnect_window"],
                    isDisabled: row["is_disabled"],
                    passthrough: row["passthrough"]
                )
            }
        }
    }

    /// Stores a new stream, or the new state of one.
    ///
    /// - Throws: `ServerStoreFailure`.
    func store(_ record: StreamRecord) async throws {
        let sealed = try box.seal(record.key, of: record.id)
        try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO live_stream
                    (id, created, sealed_key, playback_id, latency, reconnect_window, is_disabled, passthrough)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE
                    SET sealed_key = excluded.sealed_key, is_disabled = excluded.is_disabled
                    """,
                arguments: [
                    record.id, record.created, sealed, record.playbackID, record.latency.rawValue,
                    record.reconnectWindow, record.isDisabled, record.passthrough,
                ]
            )
        }
    }

    /// Deletes a stream.
    ///
    /// - Throws: `ServerStoreFailure`.
    func delete(_ id: String) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM live_stream WHERE id = ?", arguments: [id])
        }
        await database.forgetDeleted()
    }
}
