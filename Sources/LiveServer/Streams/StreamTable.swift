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
        }, RecordingTable.migration, SigningKeyTable.migration,
    ]
}

/// The stored streams.
///
/// Changes call a closure when they are stored, in the order of the changes.
struct StreamTable: Sendable {
    let database: ServerDatabase
    let box: StreamKeyBox

    /// Reads all streams, in order of creation.
    ///
    /// - Throws: `ServerStoreFailure`.
    func all() async throws -> [StreamRecord] {
        let box = box
        return try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM live_stream ORDER BY created, rowid")
                .map { try Self.record($0, box) }
        }
    }

    private static func record(_ row: Row, _ box: StreamKeyBox) throws(ServerStoreFailure) -> StreamRecord {
        let (id, sealed): (String, Data) = (row["id"], row["sealed_key"])
        return StreamRecord(
            id: id,
            created: row["created"],
            key: try box.open(sealed, of: id),
            playbackID: row["playback_id"],
            latency: StreamRecord.Latency(rawValue: row["latency"]) ?? .standard,
            reconnectWindow: row["reconnect_window"],
            isDisabled: row["is_disabled"],
            policy: PlaybackPolicy(rawValue: row["policy"]) ?? .signed,
            recordingPolicy: row["is_recorded"]
                ? PlaybackPolicy(rawValue: row["recording_policy"]) ?? .signed : nil,
            passthrough: row["passthrough"]
        )
    }

    /// Stores a new stream.
    ///
    /// - Throws: `ServerStoreFailure`.
    func insert(_ record: StreamRecord, whenStored: @escaping @Sendable () -> Void) async throws {
        let sealed = try box.seal(record.key, of: record.id)
        try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO live_stream
                    (id, created, sealed_key, playback_id, latency, reconnect_window, is_disabled, is_recorded,
                     passthrough, policy, recording_policy)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    record.id, record.created, sealed, record.playbackID, record.latency.rawValue,
                    record.reconnectWindow, record.isDisabled, record.recordingPolicy != nil,
                    record.passthrough, record.policy.rawValue,
                    (record.recordingPolicy ?? .everybody).rawValue,
                ]
            )
            database.afterNextTransaction { _ in whenStored() }
        }
    }

    /// Changes the key of a stream, and whether it is disabled.
    ///
    /// - Returns: The new record; nil if there is no such stream.
    /// - Throws: `ServerStoreFailure`.
    func change(
        _ id: String,
        _ body: @escaping @Sendable (inout StreamRecord) -> Void,
        whenStored: @escaping @Sendable (StreamRecord) -> Void
    ) async throws -> StreamRecord? {
        let box = box
        return try await database.write { database -> StreamRecord? in
            let row = try Row.fetchOne(
                database,
                sql: "SELECT * FROM live_stream WHERE id = ?",
                arguments: [id]
            )
            guard let row else { return nil }
            var record = try Self.record(row, box)
            body(&record)
            let changed = record
            try database.execute(
                sql: "UPDATE live_stream SET sealed_key = ?, is_disabled = ? WHERE id = ?",
                arguments: [try box.seal(changed.key, of: id), changed.isDisabled, id]
            )
            database.afterNextTransaction { _ in whenStored(changed) }
            return changed
        }
    }

    /// Deletes a stream; returns false if there is no such stream.
    ///
    /// - Throws: `ServerStoreFailure`.
    func delete(_ id: String, whenStored: @escaping @Sendable () -> Void) async throws -> Bool {
        let isDeleted = try await database.write { database in
            try database.execute(sql: "DELETE FROM live_stream WHERE id = ?", arguments: [id])
            guard database.changesCount > 0 else { return false }
            database.afterNextTransaction { _ in whenStored() }
            return true
        }
        if isDeleted { await database.forgetDeleted() }
        return isDeleted
    }
}
