internal import FoundationEssentials
internal import GRDB
internal import HTTPFront
internal import ServerStore

/// A recording of a live stream as it is stored; Mux calls it an asset.
struct RecordingRecord: Hashable, Sendable {
    let id: String
    let stream: String
    let playbackID: String
    let policy: PlaybackPolicy
    /// The time of creation in seconds since 1970.
    let created: Int
    /// Whether the stream is being recorded.
    var isActive = true
    var milliseconds = 0

    /// Creates a recording that begins now.
    init(of stream: String, _ policy: PlaybackPolicy) {
        id = StreamRecord.randomText(40)
        playbackID = StreamRecord.randomText(40)
        (self.stream, self.policy, created) = (stream, policy, WallClock.seconds)
    }

    fileprivate init(_ row: Row) {
        (id, stream, playbackID) = (row["id"], row["stream_id"], row["playback_id"])
        policy = PlaybackPolicy(rawValue: row["policy"]) ?? .signed
        (created, isActive, milliseconds) = (row["created"], row["is_active"], row["milliseconds"])
    }
}

/// The stored recordings.
struct RecordingTable: Sendable {
    static let migration = ServerDatabase.Migration("live 2") { database in
        try database.execute(
            sql: """
                ALTER TABLE live_stream ADD COLUMN is_recorded INTEGER NOT NULL DEFAULT 0;
                CREATE TABLE live_recording (
                    id TEXT PRIMARY KEY,
                    stream_id TEXT NOT NULL,
                    playback_id TEXT NOT NULL UNIQUE,
                    created INTEGER NOT NULL,
                    is_active INTEGER NOT NULL,
                    milliseconds INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX live_recording_of_stream ON live_recording (stream_id);
                """
        )
    }

    let database: ServerDatabase

    /// Reads the recordings, in order of creation.
    ///
    /// - Throws: `ServerStoreFailure`.
    func all() async throws -> [RecordingRecord] { try await select("ORDER BY created, rowid") }

    /// Reads the recordings that are being made, or were when the process ended.
    ///
    /// - Throws: `ServerStoreFailure`.
    func active() async throws -> [RecordingRecord] { try await select("WHERE is_active = 1") }

    /// Counts the recordings.
    ///
    /// - Throws: `ServerStoreFailure`.
    func count() async throws -> Int {
        try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM live_recording") ?? 0 }
    }

    /// Reads a page of the recordings, the newest first.
    ///
    /// - Throws: `ServerStoreFailure`.
    func page(skipping skipped: Int, most: Int) async throws -> [RecordingRecord] {
        try await select("ORDER BY created DESC, rowid DESC LIMIT ? OFFSET ?", [most, skipped])
    }

    /// Reads the recording with an ID; nil if there is none.
    ///
    /// - Throws: `ServerStoreFailure`.
    func recording(_ id: String) async throws -> RecordingRecord? {
        try await select("WHERE id = ?", [id]).first
    }

    /// Reads the recording with a playback ID; nil if there is none.
    ///
    /// - Throws: `ServerStoreFailure`.
    func recording(playback id: String) async throws -> RecordingRecord? {
        try await select("WHERE playback_id = ?", [id]).first
    }

    private func select(
        _ condition: String,
        _ arguments: StatementArguments = []
    ) async throws -> [RecordingRecord] {
        try await database.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM live_recording \(condition)",
                arguments: arguments
            )
            .map { RecordingRecord($0) }
        }
    }

    /// Stores a new recording.
    ///
    /// - Throws: `ServerStoreFailure`.
    func insert(_ record: RecordingRecord) async throws {
        try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO live_recording
                    (id, stream_id, playback_id, created, is_active, milliseconds, policy)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    record.id, record.stream, record.playbackID, record.created, record.isActive,
                    record.milliseconds, record.policy.rawValue,
                ]
            )
        }
    }

    /// Stores that a recording has ended.
    ///
    /// - Throws: `ServerStoreFailure`.
    func end(_ id: String, milliseconds: Int) async throws {
        try await database.write { database in
            try database.execute(
                sql: "UPDATE live_recording SET is_active = 0, milliseconds = ? WHERE id = ?",
                arguments: [milliseconds, id]
            )
        }
    }

    /// Deletes a recording.
    ///
    /// - Throws: `ServerStoreFailure`.
    func delete(_ id: String) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM live_recording WHERE id = ?", arguments: [id])
        }
        await database.forgetDeleted()
    }
}
